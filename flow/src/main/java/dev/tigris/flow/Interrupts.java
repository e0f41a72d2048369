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

  /// Lets no interrupt through from now on, and clears one that has come. Only the thread itself
  /// calls this.
  synchronized void close() {
    closed = true;
    Thread.interrupted();
  }
}
