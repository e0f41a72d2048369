package dev.tigris.sort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// Threads that take numbered pieces of work, in order, until all are done or one has failed.
final class Workers {
  /// The work of one thread. The thread itself makes it, and closes it when it ends.
  interface Worker extends AutoCloseable {
    void work(long piece) throws SortException;

    @Override
    void close();
  }

  /// Makes the worker of a thread.
  interface Maker {
    Worker make() throws SortException;
  }

  private Workers() {}

  /// Lets `threads` threads do the pieces 0 to `pieces` - 1. Returns when every thread has ended.
  ///
  /// @throws SortException the first failure
  /// @throws InterruptedException if the caller was interrupted: then the threads were too, since a
  ///     piece may take long, and have ended
  static void run(String name, int threads, long pieces, Maker maker)
      throws SortException, InterruptedException {
    run(Thread.ofPlatform().name(name + "-", 0).daemon().factory(), name, threads, pieces, maker);
  }

  /// Runs as the other method does, with threads that `factory` makes and that may fail to start.
  static void run(ThreadFactory factory, String name, int threads, long pieces, Maker maker)
      throws SortException, InterruptedException {
    AtomicLong next = new AtomicLong();
    AtomicLong done = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable loop =
        () -> {
          try (Worker worker = maker.make()) {
            long piece = next.getAndIncrement();
            while (piece < pieces) {
              worker.work(piece);
              done.incrementAndGet();
              piece = next.getAndIncrement();
            }
          } catch (Throwable e) {
            next.set(pieces); // the others stop at their next piece
            failure.compareAndSet(null, e);
          }
        };
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < Math.min(threads, pieces); i++) {
      try {
        Thread thread = factory.newThread(loop);
        thread.start();
        started.add(thread);
      } catch (Throwable e) { // the system gives no more threads
        next.set(pieces);
        failure.compareAndSet(null, e);
        break;
      }
    }
    boolean interrupted = false;
    for (Thread thread : started) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
          next.set(pieces);
          started.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      throw new InterruptedException(name + " was interrupted");
    }
    switch (failure.get()) {
      case null -> {
        // A thread that fails for want of memory may lack the memory to say so.
        if (done.get() < pieces) {
          throw new OutOfMemoryError(
              "%d of %d pieces of %s were done".formatted(done.get(), pieces, name));
        }
      }
      case SortException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }
}
