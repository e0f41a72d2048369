package dev.tigris.net.provider;

/// The peer has sent or written what the protocol does not allow.
public final class BreachException extends BreakingException {
  private static final long serialVersionUID = 1;

  /// Makes one.
  ///
  /// @param what it was, for people
  public BreachException(String what) {
    super("the peer does not keep to the protocol: " + what, null);
  }
}
