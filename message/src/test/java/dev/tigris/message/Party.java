package dev.tigris.message;

import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A bundle in a test, and its thread, which services it whenever it has nothing else to do.
final class Party implements AutoCloseable {
  private static final Duration SLICE = Duration.ofMillis(50);

  private final ConcurrentLinkedQueue<FutureTask<?>> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile Bundle bundle;
  private volatile boolean isOver;
  private volatile Throwable failure;

  /// A step of a test.
  interface Step {
    void run() throws Exception;
  }

  /// Opens a bundle over fabrics that the test has opened.
  Party(Options options, List<Fabric> fabrics) {
    this(() -> Bundle.open(options, fabrics));
  }

  /// Opens a bundle over a provider.
  Party(Options options, String provider) {
    this(() -> Bundle.open(options, provider));
  }

  private Party(Callable<Bundle> opening) {
    FutureTask<Bundle> opened = new FutureTask<>(opening);
    tasks.add(opened);
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("party")
            .start(
                () -> {
                  opened.run();
                  serve(opened);
                });
    bundle = await(opened);
  }

  private void serve(FutureTask<Bundle> opened) {
    try (Bundle its = opened.get()) {
      while (!isOver) {
        FutureTask<?> task = tasks.poll();
        if (task != null) {
          task.run();
          its.checkInvariants();
        } else {
          boolean _ = its.await(SLICE);
          its.checkInvariants();
        }
      }
    } catch (Exception | AssertionError e) {
      failure = e;
    }
  }

  Bundle bundle() {
    return bundle;
  }

  /// Runs a step on this party's thread, and waits for its end.
  void run(Step step) {
    String _ =
        call(
            () -> {
              step.run();
              return "done";
            });
  }

  /// Runs a step on this party's thread, and returns its result.
  <T> T call(Callable<T> step) {
    return await(start(step));
  }

  /// Lets this party's thread do it.
  <T> FutureTask<T> start(Callable<T> step) {
    FutureTask<T> task = new FutureTask<>(step);
    tasks.add(task);
    Bundle its = bundle;
    if (its != null) {
      its.wake();
    }
    return task;
  }

  private <T> T await(FutureTask<T> task) {
    try {
      return task.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case Throwable cause -> throw new CompletionException(cause);
      }
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("a step does not end; the thread has ended by " + failure, e);
    }
  }

  @Override
  public void close() {
    isOver = true;
    bundle.wake();
    try {
      thread.join(30_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (failure != null) {
      throw new AssertionError("the thread of a party has failed", failure);
    }
  }
}
