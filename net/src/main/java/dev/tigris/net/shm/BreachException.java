package dev.tigris.net.shm;

/// The other process has written what the protocol does not allow.
public final class BreachException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BreachException(String what) {
    super("the peer does not keep to the protocol: " + what);
  }
}
