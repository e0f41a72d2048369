package dev.tigris.testing.process;

import java.util.List;

/// How a process ended, and what it printed.
///
/// @param command what was run
/// @param exitCode as a shell would show it: 128 and the signal's number where that ended it
/// @param output what it printed; with its errors, unless the command keeps those apart
/// @param errors what it printed to its standard error, if the command keeps that apart
public record Outcome(String command, int exitCode, String output, String errors) {
  /// Returns what the process printed.
  ///
  /// @throws AssertionError if its exit code is another than 0
  public String orThrow() {
    return expect(0).output();
  }

  /// Returns this.
  ///
  /// @throws AssertionError with all that the process printed, if its exit code is another
  public Outcome expect(int code) {
    if (exitCode != code) {
      throw new AssertionError("exit code %d in place of %d: %s".formatted(exitCode, code, this));
    }
    return this;
  }

  /// Returns the lines of the output.
  public List<String> lines() {
    return output.lines().toList();
  }

  @Override
  public String toString() {
    return "%s ended with %d%n%s%s"
        .formatted(
            command,
            exitCode,
            output,
            errors.isEmpty() ? "" : "\nand to its standard error:\n" + errors);
  }
}
