package dev.tigris.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The outputs of a command, and what is known of the terminal.
///
/// Results go to `out`. Progress and errors go to `err`, so that a pipe gets results only.
///
/// @param columns the width of the terminal that `err` is, or 0 when it is none
/// @param home the folder of the checkout, for files that a command keeps there
record Console(PrintStream out, PrintStream err, int columns, String home) {
  /// Where a process finds its standard output under the name of a file.
  private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

  /// Where nothing is written over anything.
  private static final Path NOWHERE = Path.of("/dev/null");

  /// Returns the process's own; the launcher passes the rest as system properties.
  static Console ofProcess(PrintStream out) {
    return new Console(
        out,
        System.err,
        Integer.getInteger("tigris.columns", 0),
        System.getProperty("tigris.home", "."));
  }

  /// Returns where to print what was done, beside an output: `err`, if the output is what `out`
  /// would write over.
  PrintStream beside(Path output) {
    return isStandardOutput(output) ? err : out;
  }

  private static boolean isStandardOutput(Path output) {
    try {
      return !output.equals(NOWHERE) && Files.isSameFile(output, STANDARD_OUTPUT);
    } catch (IOException e) {
      return false; // there is none
    }
  }

  /// Returns whether `out` can show more than ASCII.
  boolean isUnicode() {
    return out.charset().equals(StandardCharsets.UTF_8);
  }

  boolean isTerminal() {
    return columns > 0;
  }
}
