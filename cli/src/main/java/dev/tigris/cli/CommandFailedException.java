package dev.tigris.cli;

import org.jspecify.annotations.Nullable;

/// An expected failure: its message says in a line or two what is wrong and what to do next.
final class CommandFailedException extends Exception {
  private static final long serialVersionUID = 1;

  private final ExitCode exitCode;

  CommandFailedException(ExitCode exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  ExitCode exitCode() {
    return exitCode;
  }
}
