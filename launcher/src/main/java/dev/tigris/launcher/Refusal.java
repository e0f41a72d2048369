package dev.tigris.launcher;

/// Ends the launcher with a message and an exit code.
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// The code that a shell gives for a command that cannot run.
  static final int CANNOT_RUN = 126;

  /// The command line is wrong.
  static final int MISUSE = 2;

  private final int exitCode;
  private final String text;

  Refusal(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
    this.text = message;
  }

  static Refusal cannotRun(String message) {
    return new Refusal(CANNOT_RUN, message);
  }

  /// The message.
  String text() {
    return text;
  }

  int exitCode() {
    return exitCode;
  }
}
