package dev.tigris.net;

/// The way an interface treats a message for which no receive is posted.
public enum Delivery {
  /// It waits until one is. The sender's queue fills up meanwhile: nothing is lost.
  RELIABLE,
  /// It is dropped, as in the Virtual Interface Architecture, and counted.
  UNRELIABLE
}
