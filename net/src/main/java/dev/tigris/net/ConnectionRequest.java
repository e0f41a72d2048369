package dev.tigris.net;

import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.os.CheckReturnValue;
import java.security.Principal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A request of a peer to connect. It is answered once. The thread that answers need not be the one
/// that listens.
///
/// Until then it holds a connection, and the peer waits: who may fail before it has answered closes
/// it, with `try`.
public final class ConnectionRequest implements AutoCloseable {
  private final Fabric fabric;
  private final ProviderListener.IncomingRequest request;
  private boolean answered;

  ConnectionRequest(Fabric fabric, ProviderListener.IncomingRequest request) {
    this.fabric = fabric;
    this.request = request;
  }

  /// The tag that the peer has sent: what it wants to connect to.
  public long tag() {
    return request.tag();
  }

  /// Returns the name of the peer, for people.
  public String peer() {
    return request.peer();
  }

  /// Returns the identity that the peer has proved; null without [Tls].
  public @Nullable Principal principal() {
    return request.principal();
  }

  /// Accepts. Receives that are posted before the calling thread next takes completions are there
  /// before the first message. If the peer has given up meanwhile, the interface is broken; over
  /// libfabric a peer may be late, and is waited for by the calls that take completions then.
  ///
  /// Thread rule: the thread that owns `queue`.
  ///
  /// @throws IllegalStateException if it was answered already, or if the queue is closed; the
  ///     request is not answered then
  /// @throws IllegalArgumentException if the queue is another fabric's
  /// @throws NetException if this side cannot: too many files are open, say. The request is
  ///     answered then, by a refusal.
  @CheckReturnValue
  public VirtualInterface accept(CompletionQueue queue, Attributes attributes) {
    fabric.requireOwn(queue);
    Objects.requireNonNull(attributes); // while the request is not answered
    Port port = queue.port(fabric);
    answer();
    Link link = request.accept(port, attributes);
    queue.remind(); // meanwhile something may have completed
    return new VirtualInterface(link, queue);
  }

  /// Rejects: the peer gets [Connection.Reason#REJECTED]. Any thread.
  ///
  /// @throws IllegalStateException if it was answered already
  public void reject() {
    answer();
    request.reject();
  }

  /// Rejects, if it was not answered. Any thread.
  @Override
  public void close() {
    if (claim()) {
      request.reject();
    }
  }

  @Override
  public String toString() {
    return "ConnectionRequest[%s, tag %d]".formatted(peer(), tag());
  }

  private void answer() {
    if (!claim()) {
      throw new IllegalStateException("the request was answered already");
    }
  }

  /// Returns whether no answer was given before.
  private synchronized boolean claim() {
    boolean first = !answered;
    answered = true;
    return first;
  }
}
