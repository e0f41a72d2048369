package dev.tigris.flow;

/// Reports that a stream could not go on: an input or output error, a checksum that does not match,
/// or an interrupt during a wait. The message names the stream, and the file if there is one.
public class StreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Makes an exception whose message says what went wrong, on which stream or file, and what to
  /// do.
  public StreamException(String message) {
    super(message);
  }

  /// Makes an exception whose message says what went wrong, on which stream or file, and why.
  public StreamException(String message, Throwable cause) {
    super(message, cause);
  }
}
