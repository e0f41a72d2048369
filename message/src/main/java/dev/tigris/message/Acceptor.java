package dev.tigris.message;

import dev.tigris.message.channel.Environment;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/// A listener and the thread that takes requests to connect from it, for the thread of a bundle,
/// which accepts them. Requests for something else than messages are rejected.
final class Acceptor implements AutoCloseable {
  /// So many may wait for a bundle that does not poll; others are rejected, and try again.
  private static final int MOST_WAITING = 1024;

  private static final long PAUSE_NANOS = 10_000_000;

  private final String provider;
  private final Listener listener;
  private final Set<Long> tags;
  private final ConcurrentLinkedQueue<Request> connectionRequests;
  private final Runnable wake;
  private volatile boolean isClosed;

  /// A request to connect.
  ///
  /// @param provider over which it has come
  record Request(String provider, ConnectionRequest request) {}

  Acceptor(
      String provider,
      Listener listener,
      Set<Long> tags,
      ConcurrentLinkedQueue<Request> connectionRequests,
      Runnable wake,
      Environment environment) {
    this.provider = provider;
    this.listener = listener;
    this.tags = tags;
    this.connectionRequests = connectionRequests;
    this.wake = wake;
    environment.thread("tigris-message-acceptor", this::listen).start();
  }

  String provider() {
    return provider;
  }

  String address() {
    return listener.address();
  }

  private void listen() {
    while (!isClosed) {
      try {
        ConnectionRequest request = listener.next(Duration.ofHours(1));
        if (request == null) {
          continue;
        }
        boolean isOurs = tags.contains(request.tag());
        if (!isOurs || connectionRequests.size() >= MOST_WAITING) {
          request.reject();
        } else {
          connectionRequests.add(new Request(provider, request));
          wake.run();
        }
      } catch (NetException e) {
        LockSupport.parkNanos(PAUSE_NANOS); // too many files are open, say
      } catch (IllegalStateException e) {
        return; // it was closed
      } catch (RuntimeException e) { // whatever it is, others may connect still
        System.getLogger(Acceptor.class.getName())
            .log(System.Logger.Level.WARNING, "a request to connect could not be taken", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /// Stops listening. Requests that wait are left to the bundle.
  @Override
  public void close() {
    isClosed = true;
    listener.close();
  }
}
