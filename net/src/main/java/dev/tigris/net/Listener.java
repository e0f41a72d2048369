package dev.tigris.net;

import dev.tigris.net.provider.ProviderListener;
import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Takes requests to connect, each with a tag that says what it is for.
///
/// A peer that sends something else than a request, or half of one, is forgotten: it cannot hold up
/// the requests of others.
///
/// Thread rule: one thread at a time, except for [#wake] and [#close].
public final class Listener implements AutoCloseable {
  private final Fabric fabric;
  private final ProviderListener inner;

  /// Held by the thread that waits, or closes.
  private final ReentrantLock inUse = new ReentrantLock();

  private volatile boolean closed;

  /// Whether that of the provider is open. Guarded by the lock.
  private boolean open = true;

  Listener(Fabric fabric, ProviderListener inner) {
    this.fabric = fabric;
    this.inner = inner;
  }

  /// The address to connect to. Where the fabric was asked for any port, this has the one it got.
  public String address() {
    return inner.address();
  }

  /// Waits for the next request.
  ///
  /// @return null if none came in time, or after [#wake] or [#close], or if the thread is
  ///     interrupted, which it then still is
  /// @throws NetException if somebody waits whose connection cannot be taken: too many files are
  ///     open, say. It can be asked again.
  /// @throws IllegalStateException if the listener is closed, or another thread waits here
  @CheckReturnValue
  public @Nullable ConnectionRequest next(Duration timeout) {
    long nanos = Fabric.nanos(timeout);
    requireOpen();
    if (!inUse.tryLock()) {
      throw new IllegalStateException("another thread waits for requests, or closes the listener");
    }
    try {
      requireOpen();
      ProviderListener.IncomingRequest request = inner.next(nanos);
      return request == null ? null : new ConnectionRequest(fabric, request);
    } finally {
      inUse.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the listener is closed");
    }
  }

  /// Ends a wait, or the next one: also if a request came at the same time, and has ended this one.
  /// Any thread.
  public void wake() {
    inner.wake();
  }

  @Override
  public String toString() {
    return "Listener[%s]".formatted(address());
  }

  /// Stops listening, and ends the wait of another thread. Interfaces that were accepted are not
  /// affected. Any thread.
  @Override
  public void close() {
    closed = true;
    if (!inUse.tryLock()) {
      inner.wake();
      inUse.lock();
    }
    try {
      if (open) {
        open = false;
        inner.close();
        fabric.closed(this);
      }
    } finally {
      inUse.unlock();
    }
  }
}
