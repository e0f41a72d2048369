package dev.tigris.os;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/// Work on files that no interrupt may cut short. An interrupt that meets a thread in an operation
/// on a [FileChannel][java.nio.channels.FileChannel] closes that channel for good, and with it
/// gives up the process's lock on the file. So a thread that no other code knows does the work.
/// Starting it takes little beside the disk.
public final class UninterruptedWork {
  private UninterruptedWork() {}

  /// The work.
  public interface Work {
    void run() throws IOException;
  }

  /// Does the work, and waits until it is done. An interrupt of the caller stays pending.
  public static void run(Work work) throws IOException {
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              work.run();
              return true;
            });
    Thread.ofPlatform().daemon().name("tigris-file").start(task);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          boolean _ = task.get();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          switch (withWayHere(e.getCause())) {
            case IOException thrown -> throw thrown;
            case RuntimeException thrown -> throw thrown;
            case Error thrown -> throw thrown;
            case null, default -> throw new IllegalStateException(e);
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// The stack trace of the other thread alone would not say who wanted the work done.
  private static @Nullable Throwable withWayHere(@Nullable Throwable thrown) {
    if (thrown != null) {
      StackTraceElement[] there = thrown.getStackTrace();
      StackTraceElement[] here = new Throwable().getStackTrace();
      StackTraceElement[] both = Arrays.copyOf(there, there.length + here.length);
      System.arraycopy(here, 0, both, there.length, here.length);
      thrown.setStackTrace(both);
    }
    return thrown;
  }
}
