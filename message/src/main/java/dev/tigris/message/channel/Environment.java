package dev.tigris.message.channel;

import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Gives a bundle what comes from outside: time, threads, chance, and the wait for completions. A
/// simulator has its own, so that a run of whole endpoints takes virtual time and can be repeated.
public interface Environment {
  /// That of the machine.
  Environment MACHINE = new Machine();

  /// Returns the time, as [System#nanoTime] does. Any thread.
  long nanoTime();

  /// Makes a thread that is not started.
  Thread thread(String name, Runnable task);

  /// Makes a source of random numbers for one bundle. Numbers of sessions are among them, which no
  /// stranger may guess.
  RandomGenerator random();

  /// Waits as [CompletionQueue#awaitOrEnd] does.
  @Nullable Descriptor await(CompletionQueue queue, long nanos);

  /// Time, threads and chance of the machine.
  final class Machine implements Environment {
    private Machine() {}

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Thread thread(String name, Runnable task) {
      return Thread.ofPlatform().daemon().name(name).unstarted(task);
    }

    @Override
    public RandomGenerator random() {
      return new SecureRandom();
    }

    @Override
    public @Nullable Descriptor await(CompletionQueue queue, long nanos) {
      return queue.awaitOrEnd(nanos);
    }
  }
}
