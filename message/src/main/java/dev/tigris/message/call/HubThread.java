package dev.tigris.message.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The thread of a client or a server of calls, which does what other threads command between its
/// own steps. Where callers do the steps themselves, there is none, and commands run at once.
///
/// A command runs once: on this thread, or on the thread that gives it when this one is over.
final class HubThread {
  private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final @Nullable Thread thread;
  private final Runnable wake;
  private volatile boolean isClosing;
  private volatile boolean isOver;

  /// @param thread null if callers do the steps
  /// @param wake ends the wait of a step
  HubThread(@Nullable Thread thread, Runnable wake) {
    this.thread = thread;
    this.wake = wake;
  }

  /// Starts a thread that opens a hub, and serves it when the caller has it.
  static <H> H start(Thread.Builder thread, Supplier<H> opening, Consumer<H> serving) {
    CompletableFuture<H> opened = new CompletableFuture<>();
    Thread _ =
        thread.start(
            () -> {
              H hub;
              try {
                hub = opening.get();
              } catch (RuntimeException | Error e) {
                opened.completeExceptionally(e);
                return;
              }
              opened.complete(hub);
              serving.accept(hub);
            });
    try {
      return opened.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case CallException cause -> throw new CallException(cause.status(), cause.text(), e);
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    }
  }

  /// Whether callers do the steps.
  boolean isOfCallers() {
    return thread == null;
  }

  boolean isClosing() {
    return isClosing;
  }

  /// Refuses what waits for this thread, and would wait for itself.
  ///
  /// @throws IllegalStateException on this thread
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  void requireElsewhere(String what) {
    if (Thread.currentThread() == thread) {
      throw new IllegalStateException(
          "%s waits for the thread that runs this method: have another thread do it"
              .formatted(what));
    }
  }

  /// Whether a step may wait: there is nothing else to do.
  boolean mayWait() {
    return commands.isEmpty() && !isClosing;
  }

  /// Has this thread do it.
  void command(Runnable command) {
    if (thread == null) {
      command.run();
      return;
    }
    commands.add(command);
    if (isOver) {
      runCommands();
    } else if (!isClosing) {
      wake.run();
    }
  }

  synchronized void runCommands() {
    for (Runnable next = commands.poll(); next != null; next = commands.poll()) {
      next.run();
    }
  }

  /// Does steps until it is closed, or one throws, and then `end`.
  void serve(Runnable step, Runnable end) {
    try {
      while (!isClosing) {
        step.run();
      }
    } finally {
      isClosing = true; // after an exception too: callers hear of the end, and do not wait
      try {
        end.run();
      } finally {
        isOver = true;
        runCommands(); // of those who have not seen it
      }
    }
  }

  /// Ends the steps, and returns when all is over.
  ///
  /// @param end what is done at the end where callers do the steps
  /// @throws IllegalStateException on this thread
  void close(Runnable end) {
    requireElsewhere("closing");
    isClosing = true;
    if (thread == null) {
      end.run();
      return;
    }
    wake.run();
    boolean wasInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
