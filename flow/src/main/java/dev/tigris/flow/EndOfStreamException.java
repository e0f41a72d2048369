package dev.tigris.flow;

/// Ends the module that throws it early: a module that needs no more input, or a source that has
/// nothing more to produce. Its senders stop sending to it. The exception carries no stack trace.
public final class EndOfStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Makes the end of a stream without a reason.
  public EndOfStreamException() {
    this("end of stream");
  }

  /// Makes the end of a stream with a reason.
  public EndOfStreamException(String reason) {
    super(reason, null, false, false);
  }
}
