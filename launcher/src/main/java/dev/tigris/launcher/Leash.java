package dev.tigris.launcher;

/// Ends a child process when this process ends early, such as by SIGTERM: this process goes on
/// until the child is gone, so that the next to hold the lock finds no process at work.
final class Leash implements AutoCloseable {
  private final Thread hook;

  Leash(Process child) {
    hook =
        new Thread(
            () -> {
              child.destroy();
              boolean ended = false;
              while (!ended) {
                try {
                  child.waitFor();
                  ended = true;
                } catch (InterruptedException e) {
                  // No caller interrupts the JVM's end.
                }
              }
            },
            "leash");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Lets go of a child that has ended.
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and waits for the child.
    }
  }
}
