package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/// Peers of reliable datagrams that speak libfabric, and what they say to the listener.
abstract class HostileDatagrams extends HostileContract {
  TcpSocket socket;
  final CountDownLatch closed = new CountDownLatch(1);

  HostileDatagrams() {
    super("libfabric-rdm", "127.0.0.1:0");
  }

  static boolean isInstalled() {
    return new LibfabricRdmProvider().obstacle().isEmpty();
  }

  @Override
  void closeChannel() {
    channel.deviceQueue.checkInvariants();
    super.closeChannel();
    channel.deviceQueue.checkInvariants();
  }

  @AfterEach
  void closeSocket() {
    if (socket != null) {
      socket.close();
    }
  }

  /// Accepts, and takes completions until the connection ends; returns why it did.
  String serve(ConnectionRequest request) {
    if (request == null) {
      return "nobody asked";
    }
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, SMALL);
      Ticket memory = peer.register(bytes(1_000_000));
      if (peer.state() == InterfaceState.CONNECTED) {
        peer.postReceive(memory).orThrow();
      }
      long start = System.nanoTime();
      while (peer.state() == InterfaceState.CONNECTED) {
        assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "it does not end");
        Descriptor _ = queue.await(10_000_000);
      }
      return peer.state() == InterfaceState.ENDED ? "ended" : peer.failure().getMessage();
    }
  }

  static Bytes bytes(int count) {
    return Jbuf.allocate(count, "hostile").asBytes();
  }

  /// Leaves a hello; returns the answer, or null if the listener closes.
  RdmHello leave(ByteBuffer rdmHello) throws Exception {
    return leave(rdmHello, this::serve);
  }

  RdmHello leave(ByteBuffer rdmHello, Function<ConnectionRequest, String> server) throws Exception {
    served = thread.submit(() -> server.apply(listener.next(PATIENCE)));
    socket = TcpSocket.connect(TcpAddress.parse(listener.address()), PATIENCE_NANOS);
    socket.send(rdmHello);
    byte[] answer = socket.receiveAll(RdmHello.BYTES, PATIENCE_NANOS);
    return answer == null ? null : RdmHello.from(answer);
  }

  /// A hello as it should be, of an endpoint of this side.
  RdmHello rdmHello() throws Exception {
    try (Route route = Addresses.unconnected(Library.load(), "127.0.0.1:0")) {
      channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
      Greeting ours = Greeting.of(Hello.request(42, Attributes.DEFAULT), 64);
      sequence = ours.sequence();
      return new RdmHello(ours, channel.identity, route.provider(), channel.name());
    }
  }

  /// Connects, and says the first word.
  void connect() throws Exception {
    assertNotNull(meet(this::serve));
  }

  RdmHello meet(Function<ConnectionRequest, String> server) throws Exception {
    RdmHello theirs = leave(rdmHello().toBytes(), server);
    if (theirs != null) {
      channel.meet(theirs, socket);
      channel.settle();
      send(Packet.CREDIT, 0, 0, 0);
    }
    return theirs;
  }

  Buffer scratch() {
    return channel.deviceQueue.scratch();
  }

  /// Sends a header, and as much content as the packet's buffer happens to hold.
  void send(int kind, long length, int credits, long content) {
    putHeader(kind, length, 0, credits);
    inject(channel.peerNumber(), Packet.HEADER_BYTES + content);
  }

  /// Sends what is in the buffer under a number; until there is a way to the peer, that is
  /// repeated.
  void inject(long number, long bytes) {
    scratch().whole().set(Packet.LONG, 0, number);
    long all = SharedEndpoint.NUMBER_BYTES + bytes;
    long result = Endpoint.AGAIN;
    long start = System.nanoTime();
    while (result == Endpoint.AGAIN) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "nothing can be sent");
      port.progress();
      result = channel.endpoint.inject(scratch().address(), all, channel.peer());
    }
    assertEquals(0, result);
  }

  /// Accepts, and waits without an end for a message; returns what has become of it.
  String awaitOne(ConnectionRequest request) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, SMALL);
      closed.countDown();
      peer.postReceive(peer.register(bytes(100))).orThrow();
      Descriptor done = queue.await(Long.MAX_VALUE);
      return done.status() + " " + done.transferredBytes() + " " + peer.failure();
    }
  }
}
