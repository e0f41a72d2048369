package dev.tigris.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/// Turns Ctrl-C, SIGTERM and SIGHUP into an interrupt of the thread that measures and the end of
/// the processes that it has started, and gives it time to clean up before the JVM ends.
final class Stop {
  private static final int PATIENCE_SECONDS = 10;
  private static final int ROUND_MILLIS = 200;

  private Stop() {}

  /// Does the work on this thread. If the process is asked to end meanwhile, it ends when the work
  /// has, with the exit code of the signal.
  static int stoppable(IntSupplier work) {
    Thread worker = Thread.currentThread();
    CountDownLatch over = new CountDownLatch(1);
    Thread hook = new Thread(() -> stop(worker, over), "tigris-stop");
    if (!isAdded(hook)) {
      return Outcome.FAILED.code; // nobody sees that, and nothing has begun
    }
    try {
      return work.getAsInt();
    } finally {
      over.countDown();
      remove(hook);
    }
  }

  /// Whether the process was asked to end. What fails from then on does so because of that.
  static boolean isAskedFor() {
    Thread probe = new Thread(() -> {}, "tigris-probe");
    return !isAdded(probe) || !remove(probe);
  }

  private static boolean isAdded(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      return false; // the JVM is ending
    }
  }

  private static boolean remove(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return false; // the JVM is ending, and the hook with it
    }
  }

  private static void stop(Thread worker, CountDownLatch over) {
    try {
      for (int waited = 0; waited < PATIENCE_SECONDS * 1_000; waited += ROUND_MILLIS) {
        // Before the work ends those that it knows of, whose children would be nobody's then; and
        // again, since it may just have been about to start one.
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        worker.interrupt();
        if (over.await(ROUND_MILLIS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      System.err.println("# stopped without cleaning up; the next run will");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
