package dev.tigris.testing.process;

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

  /// Returns the exit code of a process that it ended.
  public int exitCode() {
    return 128 + number;
  }
}
