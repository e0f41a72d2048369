package dev.tigris.net.testing;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Door;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Linking;
import dev.tigris.net.provider.Port;
import java.security.Principal;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Wraps what another provider has opened. Connecting is left as it is; the faults are in
/// [FaultyLink].
final class FaultyCarrier implements Carrier {
  private final Carrier inner;
  private final Faults faults;

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
  public Door listen(String address) {
    return new FaultyDoor(inner.listen(address));
  }

  @Override
  public Linking connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    FaultyPort own = (FaultyPort) port;
    Attributes wider = FaultyLink.withRoomForCopies(attributes);
    return switch (inner.connect(address, tag, own.inner(), wider, timeoutNanos)) {
      case Linking.Linked(Link link) ->
          new Linking.Linked(own.add(link, attributes, faults, random(tag, 0)));
      case Linking.NotLinked refused -> refused;
    };
  }

  /// The random numbers of one side of a connection.
  private SplittableRandom random(long tag, int side) {
    return new SplittableRandom(faults.seed() * 1_000_003 + tag * 2 + side);
  }

  @Override
  public void close() {
    inner.close();
  }

  /// A listener whose connections are faulty.
  private final class FaultyDoor implements Door {
    private final Door door;

    FaultyDoor(Door door) {
      this.door = door;
    }

    @Override
    public String address() {
      return door.address();
    }

    @Override
    public @Nullable Knock next(long timeoutNanos) {
      Knock knock = door.next(timeoutNanos);
      return knock == null ? null : new FaultyKnock(knock);
    }

    @Override
    public void wake() {
      door.wake();
    }

    @Override
    public void close() {
      door.close();
    }
  }

  private final class FaultyKnock implements Door.Knock {
    private final Door.Knock knock;

    FaultyKnock(Door.Knock knock) {
      this.knock = knock;
    }

    @Override
    public long tag() {
      return knock.tag();
    }

    @Override
    public String peer() {
      return knock.peer();
    }

    @Override
    public @Nullable Principal principal() {
      return knock.principal();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      FaultyPort own = (FaultyPort) port;
      Link link = knock.accept(own.inner(), FaultyLink.withRoomForCopies(attributes));
      return own.add(link, attributes, faults, random(tag(), 1));
    }

    @Override
    public void reject() {
      knock.reject();
    }
  }
}
