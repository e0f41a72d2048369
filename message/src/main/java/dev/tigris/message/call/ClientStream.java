package dev.tigris.message.call;

import dev.tigris.memory.Pso;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// A stream at the client. Items may overtake each other, as long ones are bulk transfers, and have
/// a number.
///
/// Conserved: granted = read + in the ring + on the way or not sent yet, and that is `window` more
/// than was read.
///
/// Thread rule: one thread reads, the client's thread brings; guarded by this object.
final class ClientStream<T extends Pso> extends Results<T> {
  private final ClientHub client;
  private final Invocation call;
  private final Class<T> type;

  /// The items that have arrived and were not read, by their number modulo the window.
  private final @Nullable CallBuffer[] ring;

  private final long[] lengths;
  private long read;
  private int toGrant;

  /// How many there are in all; -1 while that is not known.
  private long total = -1;

  private @Nullable CallException failure;
  private boolean isClosed;
  private @Nullable T current;

  ClientStream(ClientHub client, Invocation call, Class<T> type) {
    this.client = client;
    this.call = call;
    this.type = type;
    int window = client.options().window();
    this.ring = new @Nullable CallBuffer[window];
    this.lengths = new long[window];
  }

  /// An item has arrived: the client's thread.
  ///
  /// @return whether it is one that was granted
  synchronized boolean arrived(long number, CallBuffer buffer, long length) {
    boolean isGranted = number >= read && number < read + ring.length;
    int slot = (int) (number % ring.length);
    if (isClosed || !isGranted || ring[slot] != null) {
      client.buffers().give(buffer);
      return isClosed || isGranted;
    }
    ring[slot] = buffer;
    lengths[slot] = length;
    notifyAll();
    return true;
  }

  /// The call is over: the client's thread.
  synchronized void ended(Status status, @Nullable CallException why, long items) {
    if (status == Status.OK) {
      total = items;
    } else {
      failure = why;
    }
    notifyAll();
  }

  /// Whether all items have arrived, if there are so many.
  synchronized boolean hasAll(long items) {
    for (long number = read; number < items; number++) {
      if (items - read > ring.length || ring[(int) (number % ring.length)] == null) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean hasNext() {
    releaseCurrent();
    while (true) {
      synchronized (this) {
        if (isClosed) {
          return false;
        }
        if (ring[(int) (read % ring.length)] != null) {
          return true;
        }
        if (total >= 0 && read >= total) {
          return false;
        }
        if (failure != null) {
          throw failure;
        }
        if (!client.callerPolls()) {
          waitForNews();
          continue;
        }
      }
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted(null);
      }
      client.poll();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the caller is the loop
  private synchronized void waitForNews() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(e);
    }
  }

  private synchronized CallException interrupted(@Nullable InterruptedException why) {
    client.cancel(call);
    isClosed = true;
    return new CallException(Status.CANCELLED, "the thread was interrupted", why);
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the stream is over");
    }
    CallBuffer buffer;
    long length;
    int grants = 0;
    synchronized (this) {
      int slot = (int) (read % ring.length);
      CallBuffer its = ring[slot];
      if (its == null) {
        throw new NoSuchElementException("another thread has read it");
      }
      buffer = its;
      length = lengths[slot];
      ring[slot] = null;
      read++;
      toGrant++;
      if (toGrant * 2 > ring.length || ring.length == 1) {
        grants = toGrant;
        toGrant = 0;
      }
    }
    if (grants > 0) {
      client.grant(call, grants);
    }
    T object = type.cast(Invocation.object(client, buffer, length, call.model(), call.answeredBy));
    current = object;
    return object;
  }

  private void releaseCurrent() {
    T its = current;
    current = null;
    if (its != null) {
      Calls.release(client, its);
    }
  }

  @Override
  public void close() {
    releaseCurrent();
    synchronized (this) {
      isClosed = true;
      for (int i = 0; i < ring.length; i++) {
        client.buffers().give(ring[i]);
        ring[i] = null;
      }
    }
    client.cancel(call);
  }
}
