package dev.tigris.flow;

/// The gate between a thread and those who would interrupt it: closed while the thread clears up,
/// so that nothing it closes or writes then is cut short.
final class Interrupts {
  private boolean closed;

  synchronized void send(Thread thread) {
    if (!closed) {
      thread.interrupt();
    }
  }

  /// From now on no interrupt comes through; one that has come is forgotten. Only for the thread
  /// itself.
  synchronized void close() {
    closed = true;
    Thread.interrupted();
  }
}
