package dev.tigris.cli.layout;

/// Reports that the layout of a class cannot be shown. The message says why, and what to do.
public final class LayoutException extends Exception {
  private static final long serialVersionUID = 1;

  LayoutException(String message, Throwable cause) {
    super(message, cause);
  }

  LayoutException(String message) {
    super(message);
  }
}
