package dev.tigris.cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// Where a command prints, and what it knows of the terminal there.
///
/// Results go to `out`. Progress and errors go to `err`, so that a pipe gets results only.
///
/// @param columns the width of the terminal that `err` is, or 0 when it is none
/// @param home the folder of the checkout, for files that a command keeps there
record Console(PrintStream out, PrintStream err, int columns, String home) {
  /// The process's own; the launcher passes the rest as system properties.
  static Console ofProcess(PrintStream out) {
    return new Console(
        out,
        System.err,
        Integer.getInteger("tigris.columns", 0),
        System.getProperty("tigris.home", "."));
  }

  /// Whether `out` can show more than ASCII.
  boolean isUnicode() {
    return out.charset().equals(StandardCharsets.UTF_8);
  }

  boolean isTerminal() {
    return columns > 0;
  }
}
