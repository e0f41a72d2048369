package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.PassiveEndpoint;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A passive endpoint. The library takes connections and reads their requests; what is in them is
/// looked at here.
///
/// It is needed to reject a request, so it is closed when the last one is answered.
final class LibfabricListener implements ProviderListener {
  /// How long requests are waited for of those who have connected already. The library forgets them
  /// with the endpoint, and leaves their sockets open: they would wait for ever. Who has not said a
  /// word by then is no peer.
  private static final long SETTLE_NANOS = 1_000_000_000;

  /// How often to look whether they are still there.
  private static final long LOOK_NANOS = 10_000_000;

  private final String address;
  private final Network network;
  private final Events events;
  private final PassiveEndpoint endpoint;
  private final PollSet poll;
  private final PendingConnections callers;
  private final WakeRequest wake = new WakeRequest();
  private int unanswered;
  private boolean closed;

  LibfabricListener(Library library, String address) {
    try (Route route = Addresses.route(library, address, true);
        CloseOnFailure opened = new CloseOnFailure()) {
      this.network = opened.add(Network.open(route));
      this.events = opened.add(Events.open(network));
      this.endpoint = opened.add(PassiveEndpoint.listen(network, route, events));
      this.poll = opened.add(new PollSet());
      poll.add(new OpenFile(events.file())); // the library closes it
      this.address = Objects.requireNonNull(Addresses.format(endpoint.name()));
      this.callers = new PendingConnections(TcpAddress.parse(this.address).getPort());
      opened.keep();
    } catch (LibfabricException | SystemException e) {
      throw TcpAddress.refused(address, e);
    }
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public @Nullable IncomingRequest next(long timeoutNanos) {
    long start = System.nanoTime();
    Request next = next();
    while (next == null && !wake.take()) {
      long left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return null;
      }
      if (mayWait()) {
        poll.await(left);
      }
      next = next();
    }
    return next;
  }

  /// The next request that is there. What is none is rejected.
  private synchronized @Nullable Request next() {
    try {
      Events.Event event = events.next();
      for (; event != null; event = events.next()) {
        if (event instanceof Events.Request(Route route, ByteBuffer data)) {
          String peer = Addresses.format(route.peer());
          if (peer != null) {
            callers.heard(peer);
          }
          Greeting greeting = Greeting.from(data);
          if (greeting != null && greeting.hello().isRequest()) {
            unanswered++;
            return new Request(route, greeting, peer == null ? "a peer of " + address : peer);
          }
          reject(
              route,
              greeting == null || greeting.hello().isOfThisVersion()
                  ? ByteBuffer.allocate(0)
                  : answer(greeting.hello(), Hello.Answer.OTHER_VERSION));
        }
      }
      return null;
    } catch (LibfabricException e) {
      throw Failures.of("listen at", address, e);
    }
  }

  private synchronized boolean mayWait() {
    return network.mayWait(events);
  }

  private static ByteBuffer answer(Hello request, Hello.Answer answer) {
    return new Greeting(request.answered(answer, 0), 0, 0).toBytes();
  }

  private void reject(Route route, ByteBuffer data) {
    endpoint.reject(route, data);
    route.close();
  }

  @Override
  public void wake() {
    wake.ask();
    poll.wake();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    turnAwayAll();
    long start = System.nanoTime();
    while (callers.areExpected() && System.nanoTime() - start < SETTLE_NANOS) {
      if (mayWait()) {
        poll.await(LOOK_NANOS);
      }
      turnAwayAll();
    }
    closed = true;
    poll.close();
    closeUnlessNeeded();
  }

  private void turnAwayAll() {
    for (Request late = next(); late != null; late = next()) {
      late.turnAway();
    }
  }

  private synchronized void answered() {
    unanswered--;
    closeUnlessNeeded();
  }

  private void closeUnlessNeeded() {
    if (closed && unanswered == 0) {
      endpoint.close();
      events.close();
      network.close();
    }
  }

  /// A peer that wants to connect.
  private final class Request implements IncomingRequest {
    private final Route route;
    private final Greeting greeting;
    private final String peer;

    Request(Route route, Greeting greeting, String peer) {
      this.route = route;
      this.greeting = greeting;
      this.peer = peer;
    }

    @Override
    public long tag() {
      return greeting.hello().tag();
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      LibfabricPort ours = (LibfabricPort) port;
      Channel channel = null;
      boolean accepts = false;
      boolean kept = false;
      try {
        Hello answer =
            greeting.hello().answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes());
        Greeting mine = Greeting.of(answer, attributes.receiveDepth());
        channel = ours.deviceQueue(route).open(route, mine.window());
        LibfabricLink link = new ConnectedLink(channel, peer, attributes, mine, greeting);
        channel.endpoint.accept(mine.toBytes());
        accepts = true;
        ours.expect(link);
        kept = true;
        return link;
      } catch (LibfabricException e) {
        if (e.error() == SystemException.INVALID && route.isTaken()) {
          return new GoneLink(peer, attributes, greeting.hello().maximumMessageBytes(), e);
        }
        throw Failures.of("accept", peer, e);
      } finally {
        if (!kept && channel != null) {
          channel.close();
        }
        if (!kept && !accepts) {
          endpoint.reject(route, ByteBuffer.allocate(0));
        }
        route.close();
        answered();
      }
    }

    @Override
    public void reject() {
      LibfabricListener.this.reject(route, answer(greeting.hello(), Hello.Answer.REJECTED));
      answered();
    }

    /// Goes without an answer: the listener is closed, and no application was asked.
    void turnAway() {
      LibfabricListener.this.reject(route, ByteBuffer.allocate(0));
      answered();
    }
  }
}
