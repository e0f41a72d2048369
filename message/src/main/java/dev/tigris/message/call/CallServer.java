package dev.tigris.message.call;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A running server. [Calls#serve] starts one.
///
/// Thread rule: any thread.
public final class CallServer implements AutoCloseable {
  /// The name that every server has beside its own: for tools that know its address only.
  public static final String ANY_NAME = "calls";

  private final ServerHub hub;

  CallServer(ServerHub hub) {
    this.hub = hub;
  }

  /// Returns the address that it listens at: clients name it behind the `@`.
  public String address() {
    return hub.address();
  }

  /// Refuses new calls, sends clients elsewhere, and waits until all calls are over that it has.
  ///
  /// @return whether they are; false if the time is over, or the thread is interrupted, which it
  ///     then still is
  /// @throws IllegalStateException in a method that runs in the handler
  public boolean drain(Duration timeout) {
    try {
      hub.drain().get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("draining has failed", e);
    }
  }

  /// Returns what it has counted.
  public CallStatistics statistics() {
    return hub.counters().told(hub.buffers().out() - hub.keptByMethods());
  }

  /// Returns what it tells of its health to clients that ask by [Health].
  public ServerHealth health() {
    return hub.health();
  }

  /// Ends the server: methods that run are interrupted, and calls that have no reply are lost. Call
  /// [#drain] before, to end in order. Memory that methods still read is given back when they have
  /// returned.
  ///
  /// @throws IllegalStateException in a method that runs in the handler
  @Override
  public void close() {
    hub.close();
  }

  @Override
  public String toString() {
    return "CallServer[%s]".formatted(hub);
  }
}
