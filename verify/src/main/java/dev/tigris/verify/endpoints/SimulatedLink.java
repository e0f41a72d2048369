package dev.tigris.verify.endpoints;

import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Transfer;
import dev.tigris.verify.endpoints.SimulatedNetwork.LinkEnd;
import dev.tigris.verify.endpoints.SimulatedNetwork.Parcel;
import dev.tigris.verify.model.VirtualNetwork.Connection;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One end of a simulated connection. A message leaves a while after its doorbell: its memory is
/// read then, and it completes then.
final class SimulatedLink extends Link {
  /// How long a message takes until it leaves.
  private static final long MOST_DEPARTURE_NANOS = 10_000;

  /// How many messages the network holds for a receiver that takes none.
  private static final int MOST_ARRIVED = 32;

  private static final long FULL_TRIPS = 20;
  private static final long END_TRIPS = 100;

  private final SimulatedPort port;
  private final SimulatedNetwork network;
  private final LinkEnd end;
  private final Connection<Parcel> connection;
  private final String peer;

  /// When each of the posted messages leaves that a doorbell was rung for.
  private final ArrayDeque<Long> leaving = new ArrayDeque<>();

  private long fullUntil;

  SimulatedLink(
      SimulatedPort port,
      Attributes attributes,
      long peerMaximumMessageBytes,
      LinkEnd end,
      Connection<Parcel> connection,
      String peer) {
    super(attributes, peerMaximumMessageBytes);
    this.port = port;
    this.network = port.host.network();
    this.end = end;
    this.connection = connection;
    this.peer = peer;
    end.port = port;
    port.add(this);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void ring() {
    while (leaving.size() < sends.size()) {
      long nanos = network.sites.random().nextLong(MOST_DEPARTURE_NANOS);
      leaving.add(network.time.nowNanos() + nanos);
      network.time.after(nanos, port::wake);
    }
  }

  /// Takes what has arrived, and sends what is due.
  void progress() {
    receive();
    if (isConnected() && end.isCut) {
      leaving.clear();
      port.remove(this);
      broken(failure("the connection was cut", null));
    }
    send();
  }

  private void receive() {
    while (isConnected() && !end.arrived.isEmpty()) {
      Parcel next = end.arrived.getFirst();
      byte[] content = next.content();
      if (content == null) {
        leaving.clear();
        port.remove(this);
        ended();
        return;
      }
      ReceiveStage stage = receives.arriving(content.length, next.tag(), next.type());
      if (stage == ReceiveStage.WAITING) {
        return;
      }
      end.arrived.removeFirst();
      if (stage == ReceiveStage.FILLING) {
        Transfer into = Objects.requireNonNull(receives.peek());
        into.copyFrom(MemorySegment.ofArray(content), 0, 0, content.length);
        receives.received(content.length, next.tag(), next.type());
      }
    }
  }

  private void send() {
    long now = network.time.nowNanos();
    while (isConnected() && !leaving.isEmpty() && leaving.getFirst() <= now && fullUntil <= now) {
      boolean isFull = network.sites.strikes("link.full") || end.arrivedAtPeer() >= MOST_ARRIVED;
      if (isFull) {
        long nanos = 1 + network.sites.random().nextLong(FULL_TRIPS * SimulatedNetwork.TRIP_NANOS);
        fullUntil = now + nanos;
        network.time.after(nanos, port::wake);
        return;
      }
      Transfer message = Objects.requireNonNull(sends.peek());
      byte[] content = new byte[(int) message.bytes()];
      message.copyTo(MemorySegment.ofArray(content), 0, 0, content.length);
      if (!port.host.isDead) {
        connection.send(end, new Parcel(content, message.tag(), message.type()));
      }
      leaving.removeFirst();
      sends.sent();
    }
  }

  /// The host dies.
  void cut() {
    connection.cut();
  }

  @Override
  protected void disconnect(boolean inOrder) {
    leaving.clear();
    port.remove(this);
    if (inOrder && isConnected() && !port.host.isDead) {
      connection.send(end, new Parcel(null, 0, DataType.MIXED));
      network.time.after(END_TRIPS * SimulatedNetwork.TRIP_NANOS, connection::cut);
    } else {
      connection.cut();
    }
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    leaving.clear();
    port.remove(this);
    connection.cut();
    broken(failure(what, cause));
  }
}
