package dev.tigris.flow;

/// A gate for the interrupts of one thread. The thread closes it before it clears up, so that no
/// interrupt cuts short what it writes or closes then.
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
