package dev.tigris.launcher;

/// Ends a child process when this process stops waiting for it early: by a signal, such as SIGTERM,
/// or by an exception. Either way this process goes on until the child is gone, so that the next
/// to hold the lock finds no process at work.
final class Leash implements AutoCloseable {
  private final Process child;
  private final Thread hook = new Thread(this::end, "leash");

  Leash(Process child) {
    this.child = child;
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) { // the JVM has begun to end
      end();
    }
  }

  private void end() {
    child.destroy();
    boolean interrupted = false;
    while (child.isAlive()) {
      try {
        child.waitFor();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Lets go of a child that has ended, and ends it if an exception came first.
  @Override
  public void close() {
    end();
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and waits for the child.
    }
  }
}
