package dev.tigris.net.libfabric;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.FutureTask;

/// A peer of `libfabric` or `libfabric-rdm` that has connected as it should, and the packets that
/// it then sends, through the library itself.
public final class EndpointFuzz {
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final int ROOM = 1000;
  private static final Attributes ATTRIBUTES = Attributes.DEFAULT.withMaximumMessageBytes(2000);
  private static final Bytes MEMORY = Jbuf.allocate(ROOM, "fuzz").asBytes();

  private EndpointFuzz() {}

  /// One input: a byte, which says whether the endpoints are connected, and packets. Each is a
  /// byte, which says what is wrong with it, another for its length, and its content.
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    boolean connected = input.length > 0 && (input[0] & 1) != 0;
    if (new LibfabricProvider(connected).obstacle().isPresent()) {
      return;
    }
    LibfabricPort port = new LibfabricPort();
    try (Fabric fabric = Fabric.open(connected ? "libfabric" : "libfabric-rdm");
        Listener listener = fabric.listen("127.0.0.1:0")) {
      FutureTask<InterfaceState> victim = new FutureTask<>(() -> serve(fabric, listener));
      Thread.ofPlatform().daemon().start(victim);
      Peer peer = new Peer(port, victim);
      if (connected) {
        peer.connect(listener.address());
      } else {
        peer.leaveCard(listener.address());
      }
      peer.send(input);
      if (victim.get() == InterfaceState.CONNECTED) {
        throw new AssertionError("a peer that is gone is still connected");
      }
    } finally {
      port.close();
    }
  }

  /// Accepts, and takes completions until the connection ends.
  private static InterfaceState serve(Fabric fabric, Listener listener) {
    ConnectionRequest request =
        Objects.requireNonNull(listener.next(Duration.ofNanos(PATIENCE_NANOS)));
    try (CompletionQueue queue = fabric.completionQueue();
        VirtualInterface link = request.accept(queue, ATTRIBUTES)) {
      Ticket room = link.register(MEMORY);
      long start = System.nanoTime();
      while (link.state() == InterfaceState.CONNECTED
          && System.nanoTime() - start < PATIENCE_NANOS) {
        if (room.status() != Status.POSTED) {
          link.postReceive(room).orThrow();
        }
        Descriptor next = queue.await(1_000_000);
        if (next != null && next.transferredBytes() > ROOM) {
          throw new AssertionError(next + " has gone beyond its memory");
        }
      }
      InterfaceState how = link.state();
      while (queue.poll() != null) {
        // it comes back
      }
      link.deregister(room);
      return how;
    }
  }

  /// The other side.
  private static final class Peer {
    private final LibfabricPort port;
    private final FutureTask<InterfaceState> victim;
    private final Library library = Library.load();
    private final Greeting greeting = Greeting.of(Hello.request(42, ATTRIBUTES), 64);
    private int sequence = greeting.sequence();
    private Channel channel;

    Peer(LibfabricPort port, FutureTask<InterfaceState> victim) throws LibfabricException {
      this.port = port;
      this.victim = victim;
    }

    void connect(String address) throws LibfabricException {
      try (Route route = Addresses.route(library, address, false)) {
        channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
        channel.endpoint.connect(route, greeting.toBytes());
        if (!(port.await(channel, PATIENCE_NANOS) instanceof Events.Connected)) {
          throw new AssertionError("a good greeting is not accepted");
        }
        channel.settle();
      }
    }

    void leaveCard(String address) throws LibfabricException, SystemException {
      try (Route route = Addresses.unconnected(library, "127.0.0.1:0")) {
        channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
        RdmHello rdmHello =
            new RdmHello(greeting, channel.identity, route.provider(), channel.name());
        TcpSocket line = TcpSocket.connect(TcpAddress.parse(address), PATIENCE_NANOS);
        line.send(rdmHello.toBytes());
        byte[] answer = Objects.requireNonNull(line.receiveAll(RdmHello.BYTES, PATIENCE_NANOS));
        channel.meet(Objects.requireNonNull(RdmHello.from(answer)), line);
        channel.settle();
      }
    }

    /// Sends all packets, and then one that is wrong, so that nobody waits for more.
    void send(byte[] input) {
      packet(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, Packet.CREDIT, 0, 0, 0}, 0, 12, 0);
      int at = 1;
      while (at + 2 <= input.length && !victim.isDone()) {
        int wrong = input[at];
        int length = Math.min(input[at + 1] & 0xff, input.length - at - 2);
        packet(input, at + 2, length, wrong);
        at += 2 + length;
      }
      packet(new byte[0], 0, 0, 0);
      while (!victim.isDone()) {
        port.progress();
        Thread.onSpinWait();
      }
      channel.close();
      port.progress();
    }

    /// @param wrong bit 0: its number, bit 1: its sequence
    private void packet(byte[] content, int from, int count, int wrong) {
      Buffer scratch = channel.deviceQueue.scratch();
      MemorySegment memory = scratch.memory();
      int most = (int) Math.min(channel.deviceQueue.limits().injectBytes(), count);
      MemorySegment.copy(content, from, memory, ValueLayout.JAVA_BYTE, 0, most);
      int bytes = most;
      if ((wrong & 2) == 0 && most >= Packet.HEADER_BYTES - Integer.BYTES) {
        memory.set(ValueLayout.JAVA_INT, Packet.HEADER_BYTES - Integer.BYTES, sequence);
        bytes = Math.max(bytes, Packet.HEADER_BYTES);
      }
      boolean stray = channel.isShare() && (wrong & 1) != 0;
      int prefix = 0;
      if (channel.isShare()) {
        prefix = SharedEndpoint.NUMBER_BYTES;
        scratch.whole().set(Packet.LONG, 0, channel.peerNumber() + (stray ? 1L << 16 : 0));
      }
      sequence += stray ? 0 : 1;
      long result = Endpoint.AGAIN;
      while (result == Endpoint.AGAIN && !victim.isDone()) {
        port.progress();
        result = channel.endpoint.inject(scratch.address(), prefix + bytes, channel.peer());
      }
    }
  }
}
