package dev.tigris.verify.simulator;

import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A thread that runs only while its director lets it. It does one task after the other. Code that
/// has to wait for another actor gives the turn back ([#await]), and looks again when the director
/// lets it go on. So of all actors and their director one runs at a time, and whatever the director
/// chooses by a seed can be repeated.
///
/// ```
///           start              await
///   IDLE ----------> RUNNING --------> WAITING
///        <----------         <--------
///       end of task            goOn
/// ```
///
/// Thread rule: all but [#await] is for the director.
final class Actor {
  private final Semaphore turn = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private final Thread thread;

  // Handed over with the turn.
  private @Nullable Runnable task;
  private boolean isWaiting;
  private boolean isEnding;
  private @Nullable Throwable failure;

  /// Ends what a thread does whose process was killed.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
      super("its process was killed", null, false, false);
    }
  }

  /// @param begins is told by its thread which actor's it is
  Actor(String name, Consumer<Actor> begins) {
    thread =
        Thread.ofVirtual()
            .name(name)
            .start(
                () -> {
                  begins.accept(this);
                  live();
                });
  }

  private void live() {
    turn.acquireUninterruptibly();
    for (Runnable next = task; next != null; next = task) {
      try {
        next.run();
      } catch (Killed e) {
        // as it was asked to
      } catch (Throwable e) {
        failure = e;
      }
      boolean _ = Thread.interrupted(); // it was for the task
      task = null;
      back.release();
      turn.acquireUninterruptibly();
    }
  }

  /// Lets other actors go on, and returns when the director says so. Only its thread calls this.
  void await() {
    if (!isEnding) {
      isWaiting = true;
      back.release();
      turn.acquireUninterruptibly();
      isWaiting = false;
    }
    if (isEnding) {
      throw new Killed();
    }
  }

  boolean isIdle() {
    return task == null;
  }

  /// Has it do something, and returns when that is done, or waits.
  void start(Runnable next) {
    if (!isIdle()) {
      throw new IllegalStateException(thread.getName() + " has something to do");
    }
    task = next;
    goOn();
  }

  /// Lets it look again whether its wait is over.
  void goOn() {
    turn.release();
    back.acquireUninterruptibly();
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      throw new AssertionError(thread.getName() + " has failed", thrown);
    }
  }

  /// Interrupts its thread, if that waits.
  void interrupt() {
    if (isWaiting) {
      thread.interrupt();
    }
  }

  /// Ends the task in which it waits, and each further wait at once.
  void kill() {
    isEnding = true;
    if (!isIdle()) {
      goOn();
    }
  }

  /// Ends the thread. It is idle, or was killed.
  void end() {
    turn.release();
  }
}
