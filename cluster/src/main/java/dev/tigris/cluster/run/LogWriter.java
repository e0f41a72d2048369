package dev.tigris.cluster.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/// Writes down what a worker prints. When the file has reached its size, it becomes the one before,
/// `NAME.old`, and a new one is begun: so the beginning of a long output is lost, and not its end.
///
/// Thread rule: its own thread writes; any thread reads.
final class LogWriter implements Runnable {
  static final long MOST_BYTES = 16L << 20;

  private static final int BUFFER_BYTES = 1 << 13;
  private static final int MOST_LINE = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final InputStream from;
  private final Path file;
  private final Path before;
  private final long mostBytes;
  private final Thread thread;
  private volatile String lastLine = "";

  private LogWriter(InputStream from, Path file, long mostBytes) {
    this.from = from;
    this.file = file;
    this.before = file.resolveSibling(file.getFileName() + ".old");
    this.mostBytes = mostBytes;
    this.thread = Thread.ofPlatform().daemon().name("tigris-" + file.getFileName()).unstarted(this);
  }

  static LogWriter start(InputStream from, Path file) {
    return start(from, file, MOST_BYTES);
  }

  static LogWriter start(InputStream from, Path file, long mostBytes) {
    LogWriter made = new LogWriter(from, file, mostBytes);
    made.thread.start();
    return made;
  }

  /// Returns the last line that is not empty, or its beginning.
  String lastLine() {
    return lastLine;
  }

  void awaitEnd() throws InterruptedException {
    boolean _ = thread.join(PATIENCE);
  }

  @Override
  public void run() {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from) {
      int read = 0;
      while (read >= 0) {
        long written = 0;
        try (OutputStream to = Files.newOutputStream(file)) {
          while (written < mostBytes && (read = from.read(buffer)) >= 0) {
            to.write(buffer, 0, read);
            written += read;
            note(new String(buffer, 0, read, StandardCharsets.UTF_8));
          }
        }
        if (read >= 0) {
          Files.move(file, before, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    } catch (IOException e) {
      lastLine = "(its output cannot be written down: " + e.getMessage() + ")";
      drain(buffer);
    }
  }

  /// Reads on, so that the worker does not wait for its output to be taken.
  private void drain(byte[] buffer) {
    try {
      while (from.read(buffer) >= 0) {
        // nothing is kept
      }
    } catch (IOException e) {
      // the process has ended
    }
  }

  private void note(String printed) {
    String stripped = printed.strip();
    if (!stripped.isEmpty()) {
      String line = stripped.substring(stripped.lastIndexOf('\n') + 1);
      lastLine = line.substring(0, Math.min(line.length(), MOST_LINE));
    }
  }
}
