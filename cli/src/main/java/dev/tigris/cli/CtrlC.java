package dev.tigris.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Turns Ctrl-C (and SIGTERM and SIGHUP) into an interrupt of the thread that works, and gives it
/// time to clean up before the JVM ends.
final class CtrlC {
  private static final long PATIENCE_SECONDS = 10;

  private CtrlC() {}

  /// Does the work on this thread. A signal to end the process interrupts the thread, and the
  /// process ends when the work has. If a signal came before, no work begins.
  static ExitCode stoppable(Supplier<ExitCode> work) {
    Thread worker = Thread.currentThread();
    var over = new CountDownLatch(1);
    var hook = new Thread(() -> stop(worker, over), "tigris-stop");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      return exitCode(); // the JVM is ending
    }
    try {
      return work.get();
    } finally {
      over.countDown();
      forget(hook);
    }
  }

  /// Returns whether the process was asked to end, or has begun to. A failure from then on may come
  /// from threads that clean up already.
  static boolean isEnding() {
    var probe = new Thread(() -> {}, "tigris-probe");
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private static void stop(Thread worker, CountDownLatch over) {
    worker.interrupt();
    try {
      if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "tigris: stopped before all temporary files were deleted; the next run deletes them");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns the exit code of a process that is ending. The JVM chooses it by the signal, which it
  /// does not report; but the thread that handles a signal is named after it.
  static ExitCode exitCode() {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      switch (thread.getName()) {
        case "SIGTERM handler" -> {
          return ExitCode.TERMINATED;
        }
        case "SIGHUP handler" -> {
          return ExitCode.HUNG_UP;
        }
        default -> {
          // another thread
        }
      }
    }
    return ExitCode.INTERRUPTED;
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook with it.
    }
  }
}
