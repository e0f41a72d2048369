package dev.tigris.verify.simulator;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A network between [Actor]s. What one has sent lies on a [Wire] until it is delivered: at once,
/// or, if the network holds messages back, one by one as its director chooses. A network that
/// lends leaves long messages in the memory of their senders until they are taken.
///
/// Thread rule: the actors and their director, one at a time. Threads of shipped code wait for
/// requests to connect.
final class Wires {
  /// Whether messages wait until they are delivered.
  private final boolean holds;

  private final boolean lends;

  private final Map<String, Host> hosts = new HashMap<>();
  private final List<Wire> wires = new ArrayList<>();

  /// The wires of senders, by pairs of hosts such as `from->to`.
  private final Map<String, Wire> forths = new HashMap<>();

  /// The actor of each thread.
  @SuppressWarnings("ThreadLocalUsage") // each network has actors of its own
  private final ThreadLocal<@Nullable Actor> actors = new ThreadLocal<>();

  /// How often something has moved, so that one can tell whether anything does.
  private long moves;

  Wires(boolean holds, boolean lends) {
    this.holds = holds;
    this.lends = lends;
  }

  /// Makes an actor that uses this network.
  Actor actor(String name) {
    return new Actor(name, actors::set);
  }

  /// Lets other actors go on than the calling one, and returns when the director says so.
  void await() {
    Actor mine = actors.get();
    if (mine == null) {
      throw new IllegalStateException("a thread waits that is no actor's");
    }
    mine.await();
  }

  long moves() {
    return moves;
  }

  /// Something has moved.
  void moved() {
    moves++;
  }

  boolean holds() {
    return holds;
  }

  boolean lends() {
    return lends;
  }

  /// Whether a receiver has heard a sender.
  boolean wereConnected(String from, String to) {
    Wire forth = forths.get(from + "->" + to);
    return forth != null && forth.hasBeenRead();
  }

  /// Returns the wires on which something waits to be delivered.
  List<Wire> waiting() {
    return wires.stream().filter(Wire::hasUndelivered).toList();
  }

  /// One process, as the others see it.
  final class Host implements Provider {
    final String name;
    final List<Wire> its = new ArrayList<>();
    private @Nullable WireListener listener;
    private boolean isDead;

    Host(String name) {
      this.name = name;
      hosts.put(name, this);
    }

    Wires wires() {
      return Wires.this;
    }

    /// Ends it: its connections break, and nothing that it does has an effect any more.
    void die() {
      isDead = true;
      its.forEach(Wire::cut);
    }

    /// Breaks one of its connections, if it has any.
    void cutOne() {
      if (!its.isEmpty()) {
        its.getFirst().cut();
        its.get(1).cut(); // the other direction
      }
    }

    @Override
    public String name() {
      return "wires";
    }

    @Override
    public Kind kind() {
      return Kind.SOCKET;
    }

    @Override
    public Optional<String> obstacleTo(String host) {
      return Optional.of("it reaches nothing but actors");
    }

    @Override
    public Carrier open() {
      return new WireCarrier(this);
    }
  }

  private final class WireCarrier implements Carrier {
    private final Host host;

    WireCarrier(Host host) {
      this.host = host;
    }

    @Override
    public Port port() {
      return new WirePort(Wires.this);
    }

    @Override
    public ProviderListener listen(String address) {
      WireListener made = new WireListener(host.name);
      host.listener = made;
      return made;
    }

    @Override
    public ConnectResult connect(
        String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
      Host to = hosts.get(address);
      WireListener asked = to == null ? null : to.listener;
      if (to == null || asked == null) {
        return ConnectResult.nobodyListens("there is no such process");
      }
      Request request = new Request(host, to, tag, attributes);
      if (!to.isDead) {
        asked.ask(request);
      }
      while (request.answer == null && !Thread.currentThread().isInterrupted()) {
        if (to.isDead || host.isDead) {
          request.giveUp();
          throw new NetException("connect to", address, "that process was killed", null);
        }
        Wires.this.await();
      }
      if (request.answer == null) {
        request.giveUp();
        return ConnectResult.timedOut(); // as the fabric is interrupted
      }
      return request.result((WirePort) port);
    }

    @Override
    public void close() {}
  }

  /// A request to connect. The thread that asks waits until it is answered.
  private final class Request implements ProviderListener.IncomingRequest {
    private final Host from;
    private final Host to;
    private final long tag;
    private final Attributes attributes;
    private final Wire forth = new Wire(Wires.this);
    private final Wire back = new Wire(Wires.this);

    /// Whether it was accepted; null before it was answered. A thread of shipped code may reject.
    private volatile @Nullable Boolean answer;

    private long peerBytes;

    Request(Host from, Host to, long tag, Attributes attributes) {
      this.from = from;
      this.to = to;
      this.tag = tag;
      this.attributes = attributes;
    }

    void giveUp() {
      forth.cut();
      back.cut();
    }

    ConnectResult result(WirePort port) {
      return Boolean.TRUE.equals(answer)
          ? new ConnectResult.Connected(
              new WireLink(port, attributes, peerBytes, back, forth, to.name))
          : ConnectResult.rejected(tag);
    }

    @Override
    public long tag() {
      return tag;
    }

    @Override
    public String peer() {
      return from.name;
    }

    @Override
    public Link accept(Port port, Attributes others) {
      for (Wire wire : List.of(forth, back)) {
        wires.add(wire);
        from.its.add(wire);
        to.its.add(wire);
        if (from.isDead || to.isDead) {
          wire.cut();
        }
      }
      forths.put(from.name + "->" + to.name, forth);
      peerBytes = others.maximumMessageBytes();
      answer = true;
      moved();
      return new WireLink(
          (WirePort) port, others, attributes.maximumMessageBytes(), forth, back, from.name);
    }

    @Override
    public void reject() {
      if (answer == null) {
        answer = false;
      }
    }
  }

  /// Brings requests to the thread of shipped code that waits for them.
  private static final class WireListener implements ProviderListener {
    private final String address;
    private final ArrayDeque<Request> requests = new ArrayDeque<>();
    private boolean isAwaited;
    private boolean isWoken;
    private boolean isClosed;

    WireListener(String address) {
      this.address = address;
    }

    @Override
    public String address() {
      return address;
    }

    /// Brings a request, and returns when the thread has done what it does with one: that takes no
    /// turns, and others may not see a part of it.
    synchronized void ask(Request request) {
      requests.add(request);
      notifyAll();
      boolean interrupted = false;
      while (!isClosed && !(requests.isEmpty() && isAwaited)) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public synchronized @Nullable IncomingRequest next(long timeoutNanos) {
      isAwaited = true;
      notifyAll();
      long start = System.nanoTime();
      long left = timeoutNanos;
      try {
        while (requests.isEmpty() && !isWoken && left > 0) {
          wait(1 + left / 1_000_000);
          left = timeoutNanos - (System.nanoTime() - start);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      isAwaited = false;
      isWoken = false;
      return requests.poll();
    }

    @Override
    public synchronized void wake() {
      isWoken = true;
      notifyAll();
    }

    @Override
    public synchronized void close() {
      isClosed = true;
      requests.forEach(Request::reject);
      notifyAll();
    }
  }
}
