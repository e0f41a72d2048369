package dev.tigris.net.libfabric;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.DataType;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.PassiveEndpoint;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Peers that speak libfabric, and not our protocol.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class HostilePeerTest extends HostileContract {
  /// Of sockets, or with `-Dtigris.test.libfabric.address=HOST:0` of a device.
  private static final String ADDRESS =
      System.getProperty("tigris.test.libfabric.address", "127.0.0.1:0");

  HostilePeerTest() {
    super("libfabric", ADDRESS);
  }

  static boolean isInstalled() {
    return new LibfabricProvider().obstacle().isEmpty();
  }

  /// Connects with this as a greeting; returns what came of it.
  private Events.Event connect(ByteBuffer greeting) throws Exception {
    Library library = Library.load();
    try (Route route = Addresses.route(library, listener.address(), false)) {
      channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
      channel.endpoint.connect(route, greeting);
      served = thread.submit(() -> serve(listener.next(PATIENCE)));
      return port.await(channel, PATIENCE_NANOS);
    }
  }

  /// Accepts, and takes completions until the connection ends; returns why it did.
  private String serve(ConnectionRequest request) {
    if (request == null) {
      return "nobody asked";
    }
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, SMALL);
      Bytes memory = Jbuf.allocate(1_000_000, "hostile").asBytes();
      peer.postReceive(peer.register(memory)).orThrow();
      long start = System.nanoTime();
      Status last = null;
      while (peer.state() == InterfaceState.CONNECTED || last == null) {
        assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "it does not end");
        Descriptor next = queue.await(10_000_000);
        last = next == null ? last : next.status();
      }
      assertEquals(InterfaceState.BROKEN, peer.state());
      return last + " " + peer.failure().getMessage();
    }
  }

  private void connect() throws Exception {
    Greeting ours = Greeting.of(Hello.request(42, Attributes.DEFAULT), 64);
    sequence = ours.sequence();
    assertInstanceOf(Events.Connected.class, connect(ours.toBytes()));
    channel.settle();
  }

  /// What a peer may do wrong, and what is then said of it.
  enum Wrong {
    GARBAGE("packet "),
    TOO_SHORT("a packet of 3 bytes"),
    EMPTY("a packet of 0 bytes"),
    REPEATED("packet "),
    UNKNOWN_KIND("kind 77"),
    UNKNOWN_TYPE("of type 200"),
    NEGATIVE_LENGTH("of -1 bytes"),
    OVER_THE_LIMIT("of 100001 bytes where 0 to 100000"),
    MORE_THAN_ITS_LENGTH("kind 1 with 20 bytes"),
    MORE_OF_NOTHING("where 0 of a message are missing"),
    ANOTHER_BEFORE_THE_END("where 90 of a message are missing"),
    CREDIT_FOR_NOTHING("more credit than was used"),
    TAKEN_WITHOUT_OFFER("nothing was offered"),
    MORE_THAN_THE_WINDOW("a message without credit"),
    OFFER_OF_NOTHING("kind 3 with 0 bytes"),
    OFFER_THAT_DOES_NOT_ADD_UP("kind 3 with 24 bytes"),
    OFFER_OF_FOREIGN_MEMORY("a message cannot be read"),
    GONE_WITHOUT_A_GOODBYE("the connection is lost");

    final String said;

    Wrong(String said) {
      this.said = said;
    }
  }

  @ParameterizedTest
  @EnumSource
  void breaksOverAPeerThatDoesNotKeepToTheProtocol(Wrong wrong) throws Exception {
    connect();
    switch (wrong) {
      case GARBAGE -> {
        putGarbage(100);
        inject(100);
      }
      case TOO_SHORT -> inject(3);
      case EMPTY -> inject(0);
      case REPEATED -> {
        send(Packet.CREDIT, 0, 0, 0, 0);
        sequence--;
        send(Packet.CREDIT, 0, 0, 0, 0);
      }
      case UNKNOWN_KIND -> send(77, 0, 0, 0, 0);
      case UNKNOWN_TYPE -> {
        Packet.put(packet(), Packet.CREDIT, 0, 0, DataType.MIXED, 0, sequence);
        packet().set(java.lang.foreign.ValueLayout.JAVA_BYTE, 9, (byte) 200);
        inject(Packet.HEADER_BYTES);
      }
      case NEGATIVE_LENGTH -> send(Packet.MESSAGE, -1, 0, 0, 10);
      case OVER_THE_LIMIT -> send(Packet.MESSAGE, 100_001, 0, 0, 10);
      case MORE_THAN_ITS_LENGTH -> send(Packet.MESSAGE, 10, 0, 0, 20);
      case MORE_OF_NOTHING -> send(Packet.MORE, 0, 0, 0, 10);
      case ANOTHER_BEFORE_THE_END -> {
        send(Packet.MESSAGE, 100, 0, 0, 10);
        send(Packet.MESSAGE, 10, 0, 0, 10);
      }
      case CREDIT_FOR_NOTHING -> send(Packet.CREDIT, 0, 0, 1, 0);
      case TAKEN_WITHOUT_OFFER -> send(Packet.TAKEN, 0, 5, 0, 0);
      case MORE_THAN_THE_WINDOW -> {
        for (int i = 0; i < Greeting.LARGEST_WINDOW + 2; i++) {
          send(Packet.MESSAGE, 1, 0, 0, 1);
        }
      }
      case OFFER_OF_NOTHING -> send(Packet.OFFER, 10, 0, 0, 0);
      case OFFER_THAT_DOES_NOT_ADD_UP -> {
        Packet.putRange(packet(), 0, 0, 0, 11);
        send(Packet.OFFER, 10, 0, 0, Packet.RANGE_BYTES);
      }
      case OFFER_OF_FOREIGN_MEMORY -> {
        Packet.putRange(packet(), 0, 4096, 4711, 10);
        send(Packet.OFFER, 10, 0, 0, Packet.RANGE_BYTES);
      }
      case GONE_WITHOUT_A_GOODBYE -> channel.close();
    }
    String why = outcome();
    assertTrue(why.contains(wrong.said), why);
  }

  /// Sends a header, and as much content as the packet's buffer happens to hold.
  private void send(int kind, long length, int tag, int credits, long content) {
    putHeader(kind, length, tag, credits);
    inject(Packet.HEADER_BYTES + content);
  }

  private void inject(long bytes) {
    assertEquals(0, channel.endpoint.inject(channel.deviceQueue.scratch().address(), bytes, 0));
  }

  @Test
  void rejectsAGreetingThatIsNone() throws Exception {
    Events.Failed refusal =
        assertInstanceOf(Events.Failed.class, connect(ByteBuffer.wrap(garbage(Greeting.BYTES))));
    assertNull(Greeting.from(refusal.data()));
    expectNobody();
  }

  @Test
  void rejectsAGreetingThatIsAnAnswer() throws Exception {
    Hello answer = Hello.request(42, Attributes.DEFAULT).answered(Hello.Answer.ACCEPTED, 10);
    Events.Failed refusal =
        assertInstanceOf(Events.Failed.class, connect(new Greeting(answer, 4, 0).toBytes()));
    assertNull(Greeting.from(refusal.data()));
    expectNobody();
  }

  @Test
  void answersAnotherVersionWithItsOwn() throws Exception {
    Hello hello = new Hello(7, Hello.Answer.NONE, 42, 0);
    Events.Failed refusal =
        assertInstanceOf(Events.Failed.class, connect(new Greeting(hello, 4, 0).toBytes()));
    Greeting answer = Greeting.from(refusal.data());
    assertNotNull(answer);
    assertEquals(Hello.Answer.OTHER_VERSION, answer.hello().answer());
    assertEquals(Hello.VERSION, answer.hello().version());
    expectNobody();
  }

  /// What somebody else's listener may answer.
  enum Answer {
    NOTHING,
    GARBAGE,
    ANOTHER_TAG,
    ANOTHER_VERSION,
    A_REQUEST,
    A_NEGATIVE_MAXIMUM;

    ByteBuffer bytes() {
      ByteBuffer proper =
          new Greeting(new Hello(Hello.VERSION, Hello.Answer.ACCEPTED, 42, 10), 1, 1).toBytes();
      return switch (this) {
        case NOTHING -> ByteBuffer.allocate(0);
        case GARBAGE -> proper.put(3, (byte) 'X');
        case ANOTHER_TAG -> proper.putLong(16, 43);
        case ANOTHER_VERSION -> proper.putInt(8, Hello.VERSION + 1);
        case A_REQUEST -> proper.putInt(12, 0);
        case A_NEGATIVE_MAXIMUM -> proper.putLong(24, -1);
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void isRefusedByWhoeverAcceptsAndAnswersSomethingElse(Answer answer) throws Exception {
    Library library = Library.load();
    try (Route any = Addresses.route(library, "127.0.0.1:0", true);
        Network network = Network.open(any);
        Events events = Events.open(network);
        PassiveEndpoint stranger = PassiveEndpoint.listen(network, any, events)) {
      String address = Addresses.format(stranger.name());
      Future<Connection> asked = thread.submit(() -> ask(address, PATIENCE));
      Events.Event next = events.next();
      while (next == null) {
        assertFalse(asked.isDone(), "it never asked");
        next = events.next();
      }
      try (Route route = assertInstanceOf(Events.Request.class, next).route()) {
        channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
        channel.endpoint.accept(answer.bytes());
        while (!asked.isDone()) {
          port.progress();
        }
      }
      Connection.Refused refusal = assertInstanceOf(Connection.Refused.class, asked.get());
      assertEquals(Connection.Reason.INCOMPATIBLE, refusal.reason());
    }
  }

  enum Stranger {
    LEAVES,
    RESETS,
    SPEAKS_HTTP
  }

  /// The first two are what a listener that ends does to a request that it has not read yet.
  @ParameterizedTest
  @EnumSource
  void nobodyListensWhereThereIsNoAnswer(Stranger stranger) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Future<Connection> asked =
          thread.submit(() -> ask("127.0.0.1:" + server.getLocalPort(), PATIENCE));
      try (Socket socket = server.accept()) {
        assertTrue(socket.getInputStream().read() >= 0, "it never asked");
        switch (stranger) {
          case LEAVES -> socket.shutdownOutput();
          case RESETS -> reset(socket);
          case SPEAKS_HTTP -> socket.getOutputStream().write("HTTP/1.1 400 Bad".getBytes(US_ASCII));
        }
        Connection.Refused refusal = assertInstanceOf(Connection.Refused.class, asked.get());
        assertEquals(Connection.Reason.NOBODY_LISTENS, refusal.reason(), refusal::toString);
      }
    }
  }

  /// What asks for a connection, up to where whoever does waits for the answer.
  private byte[] request() throws Exception {
    Library library = Library.load();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Route route = Addresses.route(library, "127.0.0.1:" + server.getLocalPort(), false)) {
      channel = port.deviceQueue(route).open(route, Greeting.LARGEST_WINDOW);
      Greeting ours = Greeting.of(Hello.request(42, Attributes.DEFAULT), 64);
      channel.endpoint.connect(route, ours.toBytes());
      try (Socket socket = server.accept()) {
        InputStream request = socket.getInputStream();
        long start = System.nanoTime();
        while (request.available() < Greeting.BYTES) {
          assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "it does not ask");
          port.progress();
        }
        return request.readNBytes(request.available());
      }
    }
  }

  @Test
  void thoseWhoAskAndSayNothingMoreDelayNobodyElse() throws Exception {
    InetAddress host = TcpAddress.parse(listener.address()).getAddress();
    assumeTrue(host.isLoopbackAddress(), "what asks a device cannot be repeated");
    byte[] request = request();
    int asked = TcpAddress.parse(listener.address()).getPort();
    CountDownLatch connected = new CountDownLatch(1);
    CountDownLatch accepted = new CountDownLatch(4);
    List<Socket> silent = new ArrayList<>();
    Future<List<String>> all =
        thread.submit(() -> Bystander.serve(fabric, listener, SMALL, accepted));
    try (Fabric own = Fabric.open("libfabric");
        ExecutorService bystander = Executors.newSingleThreadExecutor()) {
      Future<Long> longest =
          bystander.submit(
              () ->
                  Bystander.longestRoundTripNanos(
                      own, listener.address(), connected, () -> accepted.getCount() == 0));
      assertTrue(connected.await(20, TimeUnit.SECONDS));
      for (int i = 0; i < 4; i++) {
        Socket each = new Socket(host, asked);
        silent.add(each);
        each.getOutputStream().write(request);
      }
      long nanos = longest.get(20, TimeUnit.SECONDS);
      assertTrue(nanos < 1_000_000_000, nanos + " ns");
    }
    assertEquals(4, all.get(20, TimeUnit.SECONDS).size());
    for (Socket each : silent) {
      each.close();
    }
  }

  private static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }
}
