package dev.tigris.message;

import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.message.channel.Environment;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Finds out whether a bundle answers at an address, by threads of its own: connecting waits for
/// the peer's thread, and the thread of a bundle has others to serve. A bundle rejects a connection
/// with the tag of a probe as soon as its thread polls.
///
/// Thread rule: the thread of the bundle. A [Probe] is read by any thread.
final class Probes implements AutoCloseable {
  /// The tag of connections that ask whether a bundle answers.
  static final long TAG = 0x5449_4752_4953_5052L; // "TIGRISPR"

  private static final Attributes SMALL =
      Attributes.DEFAULT.withMaximumMessageBytes(64).withDepths(1, 1);

  private final Set<Probe> running = ConcurrentHashMap.newKeySet();
  private final Environment environment;
  private final Runnable wake;

  /// @param wake wakes the thread of the bundle
  Probes(Environment environment, Runnable wake) {
    this.environment = environment;
    this.wake = wake;
  }

  /// One question.
  static final class Probe implements EndpointAccess.Question {
    private final Thread thread;
    private volatile long elapsedNanos;
    private volatile Connection.@Nullable Refused answer;

    private Probe(Probes probes, Fabric fabric, String address, Duration limit) {
      long startedAt = probes.environment.nanoTime();
      this.thread =
          probes.environment.thread(
              "tigris-message-probe",
              () -> {
                Connection.Refused found = ask(fabric, address, limit);
                elapsedNanos = probes.environment.nanoTime() - startedAt;
                answer = found;
                probes.running.remove(this);
                probes.wake.run();
              });
    }

    /// Returns the answer; null while there is none.
    Connection.@Nullable Refused answer() {
      return answer;
    }

    @Override
    public @Nullable Boolean isAnswered() {
      Connection.Refused its = answer;
      return its == null ? null : isThere(its);
    }

    @Override
    public long elapsedNanos() {
      return elapsedNanos;
    }

    @Override
    public String failure() {
      Connection.Refused its = answer;
      return its == null
          ? "no answer yet"
          : "connect to %s: %s, %s".formatted(its.address(), its.reason(), its.detail());
    }

    /// Whether a bundle has answered.
    static boolean isThere(Connection.Refused answer) {
      return answer.reason() == Reason.REJECTED;
    }
  }

  Probe start(Fabric fabric, String address, Duration limit) {
    Probe made = new Probe(this, fabric, address, limit);
    running.add(made);
    made.thread.start();
    return made;
  }

  private static Connection.Refused ask(Fabric fabric, String address, Duration limit) {
    try (CompletionQueue queue = fabric.completionQueue(0)) {
      return switch (fabric.connect(address, TAG, queue, SMALL, limit)) {
        case Connection.Refused refused -> refused;
        case Connection.Established made -> {
          made.virtualInterface().abort();
          yield new Connection.Refused(
              Reason.INCOMPATIBLE, address, "something else than a bundle accepts everything");
        }
      };
    } catch (NetException | IllegalArgumentException | IllegalStateException e) {
      return new Connection.Refused(Reason.NOBODY_LISTENS, address, String.valueOf(e.getMessage()));
    }
  }

  /// Ends all questions, and waits for their threads, whose queues belong to the fabrics.
  @Override
  public void close() {
    boolean interrupted = false;
    for (Probe probe : running) {
      probe.thread.interrupt();
      while (probe.thread.isAlive()) {
        try {
          probe.thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
