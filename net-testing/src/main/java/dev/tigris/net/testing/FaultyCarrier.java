package dev.tigris.net.testing;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import java.security.Principal;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Wraps what another provider has opened. Connecting is left as it is; the faults are in
/// [FaultyLink].
final class FaultyCarrier implements Carrier {
  private final Carrier inner;
  private final Faults faults;

  /// How many connections were made, by tag and side.
  private final ConcurrentHashMap<Long, Long> connections = new ConcurrentHashMap<>();

  /// Wraps `inner`.
  FaultyCarrier(Carrier inner, Faults faults) {
    this.inner = inner;
    this.faults = faults;
  }

  @Override
  public Port port() {
    return new FaultyPort(inner.port());
  }

  @Override
  public ProviderListener listen(String address) {
    return new FaultyListener(inner.listen(address));
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    FaultyPort own = (FaultyPort) port;
    Attributes wider = FaultyLink.withRoomForCopies(attributes);
    return switch (inner.connect(address, tag, own.inner(), wider, timeoutNanos)) {
      case ConnectResult.Connected(Link link) ->
          new ConnectResult.Connected(own.add(link, attributes, faults, random(tag, 0)));
      case ConnectResult.NotConnected refused -> refused;
    };
  }

  /// The random numbers of one side of a connection. A connection that is made again has others:
  /// else each one would be cut at the same message, and a program could never go on. The factor is
  /// not the step of [SplittableRandom], by which they would be the same, shifted by a message.
  private SplittableRandom random(long tag, int side) {
    long key = tag * 2 + side;
    long earlier = connections.merge(key, 1L, Long::sum) - 1;
    return new SplittableRandom(faults.seed() * 1_000_003 + key + earlier * 0xd1b54a32d192ed03L);
  }

  @Override
  public void close() {
    inner.close();
  }

  /// A listener whose connections are faulty.
  private final class FaultyListener implements ProviderListener {
    private final ProviderListener inner;

    FaultyListener(ProviderListener inner) {
      this.inner = inner;
    }

    @Override
    public String address() {
      return inner.address();
    }

    @Override
    public @Nullable IncomingRequest next(long timeoutNanos) {
      IncomingRequest request = inner.next(timeoutNanos);
      return request == null ? null : new FaultyRequest(request);
    }

    @Override
    public void wake() {
      inner.wake();
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  private final class FaultyRequest implements ProviderListener.IncomingRequest {
    private final ProviderListener.IncomingRequest request;

    FaultyRequest(ProviderListener.IncomingRequest request) {
      this.request = request;
    }

    @Override
    public long tag() {
      return request.tag();
    }

    @Override
    public String peer() {
      return request.peer();
    }

    @Override
    public @Nullable Principal principal() {
      return request.principal();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      FaultyPort own = (FaultyPort) port;
      Link link = request.accept(own.inner(), FaultyLink.withRoomForCopies(attributes));
      return own.add(link, attributes, faults, random(tag(), 1));
    }

    @Override
    public void reject() {
      request.reject();
    }
  }
}
