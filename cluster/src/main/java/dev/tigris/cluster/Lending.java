package dev.tigris.cluster;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// Says which of two threads uses something that belongs to the first, its owner. The owner lends
/// it while it does other things, a helper takes it for a short step, and the owner reclaims it at
/// any time, and waits for the end of that step.
///
/// ```
///          lend                  take
///   HELD --------> LENT -----------------> TAKEN       the owner's steps: lend, reclaim
///        <--------      <-----------------             the helper's: take, giveBack
///         reclaim            giveBack
/// ```
///
/// Ordering: each step releases what its thread has done, and each compare-and-set acquires that of
/// the step before (jcstress: `LendingTest`).
///
/// Thread rule: as above.
final class Lending {
  private static final int HELD = 0;
  private static final int LENT = 1;
  private static final int TAKEN = 2;

  /// So often the owner looks again before it lets other threads have the processor.
  private static final int SPINS = 100;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Lending.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state = HELD;

  /// How often it was lent. Written by the owner; the helper wants to know only whether it changes.
  private volatile int turns;

  /// Lends it. A helper that goes to sleep afterwards sees that: the store is volatile, and the
  /// helper looks once more after it has said that it sleeps.
  @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
  void lend() {
    turns++;
    state = LENT;
  }

  /// Takes it back from the helper, which may be in a step.
  @SuppressWarnings("ThreadPriorityCheck") // the helper may need this processor for its step
  void reclaim() {
    for (int i = 0; !STATE.compareAndSet(this, LENT, HELD); i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  /// Takes it for a step. Returns false if it is not lent.
  boolean take() {
    return state == LENT && STATE.compareAndSet(this, LENT, TAKEN);
  }

  /// Ends a step of the helper.
  void giveBack() {
    STATE.setRelease(this, LENT);
  }

  boolean isLent() {
    return state != HELD;
  }

  int turns() {
    return turns;
  }
}
