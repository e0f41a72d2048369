package dev.tigris.net;

/// The outcome of a post. All but the first are refusals: nothing was posted.
public enum Posting {
  /// The descriptor is posted.
  POSTED,
  /// As many descriptors as [Attributes] allows are posted: take completions first.
  QUEUE_FULL,
  /// The interface is no longer connected: see [VirtualInterface#state].
  NOT_CONNECTED;

  /// For those who expect no refusal.
  ///
  /// @throws IllegalStateException if it was one
  public void orThrow() {
    switch (this) {
      case POSTED -> {}
      case QUEUE_FULL ->
          throw new IllegalStateException(
              "the queue is full: take completions before posting more, or make it deeper");
      case NOT_CONNECTED ->
          throw new IllegalStateException("the interface is not connected: look at its state()");
    }
  }
}
