package dev.tigris.memory;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Work on files that no interrupt may cut short. One that meets a thread in an operation on a
/// [FileChannel][java.nio.channels.FileChannel] closes that channel for good, and with it gives up
/// the process's lock on the file. So a thread that nobody else knows does the work; starting it
/// takes little beside the disk.
final class Undisturbed {
  private Undisturbed() {}

  /// What is to be done.
  interface Work {
    void run() throws IOException;
  }

  /// Does it, and waits until it is done. A thread that is interrupted still is afterwards.
  static void run(Work work) throws IOException {
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
          switch (e.getCause()) {
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
}
