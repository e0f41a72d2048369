package dev.tigris.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/// Turns Ctrl-C, SIGTERM and SIGHUP into an interrupt of the thread that measures and the end of
/// the processes that it has started, and gives it time to clean up before the JVM ends.
///
/// Thread rule: [#stoppable] once, on the thread that measures; the rest on any.
final class Stop {
  private static final int PATIENCE_SECONDS = 10;
  private static final int ROUND_MILLIS = 200;

  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean isAskedFor;

  /// Does the work on this thread. If the process is asked to end meanwhile, it ends when the work
  /// has, with the exit code of the signal.
  int stoppable(IntSupplier work) {
    Thread worker = Thread.currentThread();
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(worker), "tigris-stop"));
    } catch (IllegalStateException e) { // the JVM is ending already
      return Outcome.FAILED.code; // not seen, and nothing has begun
    }
    try {
      return work.getAsInt();
    } finally {
      over.countDown();
    }
  }

  /// Asks the work to end soon.
  void ask() {
    isAskedFor = true;
  }

  /// Whether the work was asked to end. What fails from then on does so because of that.
  boolean isAskedFor() {
    return isAskedFor;
  }

  private void stop(Thread worker) {
    ask(); // before anything fails because of it
    try {
      boolean isOver = over.getCount() == 0;
      for (int waited = 0; !isOver && waited < PATIENCE_SECONDS * 1_000; waited += ROUND_MILLIS) {
        // Before the work ends those that it knows of, whose children would lose their parent; and
        // again, since it may just have been about to start one.
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        worker.interrupt();
        isOver = over.await(ROUND_MILLIS, TimeUnit.MILLISECONDS);
      }
      if (!isOver) {
        System.err.println("# stopped without cleaning up; the next run will");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
