package dev.tigris.cli;

/// Reports why a command failed, with the exit code for it.
final class CommandException extends Exception {
  private static final long serialVersionUID = 1;

  private final ExitCode code;

  CommandException(ExitCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  CommandException(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  ExitCode code() {
    return code;
  }
}
