package dev.tigris.verify.model;

import java.util.function.BiConsumer;

/// A network in virtual time. Each connection carries packets both ways, in order and without loss,
/// unless one of these places strikes:
///
/// | place | what happens |
/// | --- | --- |
/// | `network.loss` | the packet never arrives |
/// | `network.duplicate` | it arrives once more, a little later |
/// | `network.reorder` | later ones overtake it |
/// | `network.delay` | it arrives much later, and others overtake it |
/// | `network.damage` | it arrives, and is damaged |
/// | `network.cut` | the connection breaks, and everything under way is lost |
///
/// @param <P> the packets
public final class VirtualNetwork<P> {
  private final VirtualTime time;
  private final FaultSites sites;
  private final long tripNanos;
  private long sent;

  /// Makes a network.
  ///
  /// @param tripNanos how long a packet takes
  public VirtualNetwork(VirtualTime time, FaultSites sites, long tripNanos) {
    this.time = time;
    this.sites = sites;
    this.tripNanos = tripNanos;
  }

  /// Returns how many packets were sent.
  public long sent() {
    return sent;
  }

  /// Takes what arrives at one end of a connection.
  ///
  /// @param <P> the packets
  public interface Receiver<P> {
    /// Takes a packet.
    ///
    /// @param damaged whether some of its bits are others: a receiver that can tell drops it
    void arrived(Connection<P> connection, P packet, boolean damaged);

    /// Hears that the connection has ended.
    void ended(Connection<P> connection);
  }

  /// One connection.
  ///
  /// @param <P> the packets
  public static final class Connection<P> {
    private final VirtualNetwork<P> network;
    private final Receiver<P> first;
    private final Receiver<P> second;
    private boolean open = true;

    /// When the last packet to either end arrives, of those that keep their order.
    private long lastToFirst;

    private long lastToSecond;

    private Connection(VirtualNetwork<P> network, Receiver<P> first, Receiver<P> second) {
      this.network = network;
      this.first = first;
      this.second = second;
    }

    /// Whether it can carry packets.
    public boolean isOpen() {
      return open;
    }

    /// Sends a packet to the other end.
    public void send(Receiver<P> from, P packet) {
      if (open) {
        network.send(this, from.equals(first), packet);
      }
    }

    /// Ends it. Both ends hear of it after the time of a trip; nothing arrives any more.
    public void cut() {
      if (open) {
        open = false;
        network.time.after(network.tripNanos, () -> first.ended(this));
        network.time.after(network.tripNanos, () -> second.ended(this));
      }
    }
  }

  /// Connects two receivers.
  public Connection<P> connect(Receiver<P> first, Receiver<P> second) {
    return new Connection<>(this, first, second);
  }

  private void send(Connection<P> connection, boolean toSecond, P packet) {
    sent++;
    if (sites.strikes("network.cut")) {
      connection.cut();
      return;
    }
    if (sites.strikes("network.loss")) {
      return;
    }
    boolean damaged = sites.strikes("network.damage");
    long nanos = tripNanos;
    boolean overtaken = false;
    if (sites.strikes("network.reorder")) {
      nanos += sites.random().nextLong(3 * tripNanos);
      overtaken = true;
    }
    if (sites.strikes("network.delay")) {
      nanos += sites.random().nextLong(30 * tripNanos);
      overtaken = true;
    }
    if (sites.strikes("network.duplicate")) {
      deliver(
          connection, toSecond, packet, damaged, nanos + sites.random().nextLong(8 * tripNanos));
    }
    if (!overtaken) {
      long last = toSecond ? connection.lastToSecond : connection.lastToFirst;
      nanos = Math.max(nanos, last - time.nowNanos());
      if (toSecond) {
        connection.lastToSecond = time.nowNanos() + nanos;
      } else {
        connection.lastToFirst = time.nowNanos() + nanos;
      }
    }
    deliver(connection, toSecond, packet, damaged, nanos);
  }

  private void deliver(
      Connection<P> connection, boolean toSecond, P packet, boolean damaged, long nanos) {
    BiConsumer<Receiver<P>, P> arrive =
        (receiver, arrived) -> {
          if (connection.open) {
            receiver.arrived(connection, arrived, damaged);
          }
        };
    Receiver<P> to = toSecond ? connection.second : connection.first;
    time.after(nanos, () -> arrive.accept(to, packet));
  }
}
