package dev.tigris.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/// The process's standard output. A `PrintStream` swallows failures: this remembers the first one,
/// so that a result that was lost does not look like a success.
final class StandardOutput extends FileOutputStream {
  /// The system's message when the reader has gone, as `head` does when it has enough.
  private static final String NOBODY_READS = "Broken pipe";

  private final PrintStream stream =
      new PrintStream(new BufferedOutputStream(this), true, System.out.charset());

  private volatile @Nullable IOException failure;

  StandardOutput() {
    super(FileDescriptor.out);
  }

  /// Returns where to print.
  PrintStream stream() {
    return stream;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      super.write(bytes, offset, length);
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      }
      throw e;
    }
  }

  /// Returns how it went, once everything is printed: what went well has failed if it could not be
  /// told, and what did not is at least said not to have been.
  ExitCode outcome(ExitCode code, PrintStream err) {
    stream.flush();
    IOException lost = failure;
    if (lost == null || NOBODY_READS.equals(lost.getMessage())) {
      return code;
    }
    boolean isOk = code == ExitCode.OK;
    err.printf(
        "tigris: %s cannot be written to standard output: %s%n",
        isOk ? "the work is done, but its result" : "the report of the failure", lost.getMessage());
    return isOk ? ExitCode.BAD_OUTPUT : code;
  }
}
