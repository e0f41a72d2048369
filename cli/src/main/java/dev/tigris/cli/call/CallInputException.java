package dev.tigris.cli.call;

/// Reports why a call cannot be made: its classes are not found, or its arguments do not fit.
public final class CallInputException extends Exception {
  private static final long serialVersionUID = 1;

  CallInputException(String message) {
    super(message);
  }

  CallInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
