package dev.tigris.testing.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A signal that a test sends to a process, by its name.
public enum Signal {
  HUP(1),
  INT(2),
  QUIT(3),
  KILL(9),
  TERM(15),
  /// Pauses it; [Child#pause] also waits until it does.
  STOP(19),
  /// Lets it go on.
  CONT(18);

  private final int number;

  Signal(int number) {
    this.number = number;
  }

  /// Returns its number on Linux.
  public int number() {
    return number;
  }

  /// Returns whether this process ignores it, and so do its children: what is started in the
  /// background may have inherited that for [#INT] and [#HUP]. A test of it is skipped then.
  public boolean isIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    String ignored = "SigIgn:";
    String line =
        Files.readAllLines(status).stream()
            .filter(each -> each.startsWith(ignored))
            .findFirst()
            .orElse(ignored + "0");
    long mask = Long.parseUnsignedLong(line.substring(ignored.length()).strip(), 16);
    return (mask >>> (number - 1) & 1) != 0;
  }

  /// Returns the exit code of a process that it ended.
  public int exitCode() {
    return 128 + number;
  }
}
