package dev.tigris.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Waits for a condition that nothing signals, such as a file that another process makes. Whatever
/// can be awaited itself (a latch, a future, a process, a line of its output) needs none of this.
public final class Wait {
  /// How long a condition may take on a machine that is busy with other tests.
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final long SLICE_NANOS = 200_000;

  private Wait() {}

  /// Waits until a condition holds.
  ///
  /// @param what the condition in words, for the failure
  /// @throws AssertionError if it does not hold after [#PATIENCE]
  public static void until(String what, Callable<Boolean> condition) {
    until(() -> what, PATIENCE, condition);
  }

  /// Waits until a condition holds.
  ///
  /// @param what gives the condition in words, and the state of things, for the failure
  /// @throws AssertionError if it does not hold after `patience`
  public static void until(Supplier<String> what, Duration patience, Callable<Boolean> condition) {
    if (!isMet(patience, condition)) {
      throw new AssertionError("not so after %d ms: %s".formatted(patience.toMillis(), what.get()));
    }
  }

  /// Waits until a condition holds, or the patience is at its end; returns whether it holds.
  public static boolean isMet(Duration patience, Callable<Boolean> condition) {
    long start = System.nanoTime();
    while (!holds(condition)) {
      if (System.nanoTime() - start > patience.toNanos()) {
        return holds(condition);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new AssertionError("interrupted while it waits");
      }
      LockSupport.parkNanos(SLICE_NANOS);
    }
    return true;
  }

  /// Waits until something is there, and returns it.
  ///
  /// @param what is awaited, for the failure
  /// @param look returns it, or null while it is not there
  public static <T> T forValue(String what, Callable<@Nullable T> look) {
    var found =
        new Object() {
          @Nullable T value;
        };
    until(
        what,
        () -> {
          found.value = look.call();
          return found.value != null;
        });
    if (found.value == null) {
      throw new AssertionError(what);
    }
    return found.value;
  }

  private static boolean holds(Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("the condition cannot be looked at", e);
    }
  }
}
