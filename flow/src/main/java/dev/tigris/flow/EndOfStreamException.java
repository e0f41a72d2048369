package dev.tigris.flow;

/// Thrown by a module that needs no more input, or by a source that has nothing more to produce:
/// it ends early, and nothing more is sent to it. It carries no stack trace.
public final class EndOfStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The end, without a reason.
  public EndOfStreamException() {
    this("end of stream");
  }

  /// The end, and why.
  public EndOfStreamException(String reason) {
    super(reason, null, false, false);
  }
}
