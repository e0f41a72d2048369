package dev.tigris.verify.endpoints;

import dev.tigris.message.channel.Environment;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.verify.model.VirtualTime;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// What one bundle of a simulated host takes from outside: virtual time, threads that take turns,
/// and chance that follows from a seed.
///
/// @param seed of its random numbers
record SimulatedEnvironment(Turns turns, VirtualTime time, long seed) implements Environment {
  /// So that the clock of a run passes the greatest number.
  private static final long FIRST_NANOS = Long.MAX_VALUE - 100_000_000;

  @Override
  public long nanoTime() {
    return FIRST_NANOS + time.nowNanos();
  }

  @Override
  public Thread thread(String name, Runnable task) {
    return turns.thread(name, task);
  }

  @Override
  public RandomGenerator random() {
    return new SplittableRandom(seed);
  }

  @Override
  public @Nullable Descriptor await(CompletionQueue queue, long nanos) {
    Descriptor ready = queue.poll();
    if (ready != null || nanos <= 0) {
      return ready;
    }
    turns.await(nanos);
    return queue.poll();
  }
}
