package dev.tigris.flow;

/// A stream could not carry on: an input or output error, a checksum that does not match, or an
/// interrupt while waiting. The message names the stream, and the file if there is one.
public class StreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Tells what went wrong, on which stream or file, and what to do.
  public StreamException(String message) {
    super(message);
  }

  /// Tells what went wrong, on which stream or file, and why.
  public StreamException(String message, Throwable cause) {
    super(message, cause);
  }
}
