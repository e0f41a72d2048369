// Over 400 lines: one hostile peer, and what it may do before, while and after it is connected.
package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import dev.tigris.net.Listener;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.TcpSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers that speak libfabric without connections, and not our protocol.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class HostileDatagramsTest {
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final Duration PATIENCE = Duration.ofNanos(PATIENCE_NANOS);
  private static final Attributes SMALL = Attributes.DEFAULT.withMaximumMessageBytes(100_000);

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Fabric fabric;
  private Listener listener;
  private LibfabricPort port;
  private TcpSocket socket;
  private Channel channel;
  private Future<String> served;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private int sequence;

  static boolean isInstalled() {
    return new LibfabricRdmProvider().obstacle().isEmpty();
  }

  @BeforeEach
  void listen() {
    fabric = Fabric.open("libfabric-rdm");
    listener = fabric.listen("127.0.0.1:0");
    port = new LibfabricPort();
  }

  @AfterEach
  void close() {
    if (channel != null) {
      channel.station.checkInvariants();
      channel.close();
      channel.station.checkInvariants();
    }
    if (socket != null) {
      socket.close();
    }
    port.close();
    thread.shutdown();
    listener.close();
    fabric.close();
  }

  /// Accepts, and takes completions until the connection ends; returns why it did.
  private String serve(ConnectionRequest request) {
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

  private static Bytes bytes(int count) {
    return Jbuf.allocate(count, "hostile").asBytes();
  }

  /// Accepts, closes, and goes on with the queue until the peer has seen the end; returns how long
  /// that took.
  private String close(ConnectionRequest request) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, SMALL);
      peer.close();
      long start = System.nanoTime();
      closed.countDown();
      while (ended.getCount() > 0 && System.nanoTime() - start < PATIENCE_NANOS) {
        Descriptor _ = queue.await(10_000_000);
      }
      return System.nanoTime() - start < PATIENCE_NANOS ? "ended" : "it does not end";
    }
  }

  /// Leaves a card; returns the answer, or null if the listener closes.
  private RdmHello leave(ByteBuffer card) throws Exception {
    return leave(card, this::serve);
  }

  private RdmHello leave(ByteBuffer card, Function<ConnectionRequest, String> server)
      throws Exception {
    served = thread.submit(() -> server.apply(listener.next(PATIENCE)));
    socket = TcpSocket.connect(TcpAddress.parse(listener.address()), PATIENCE_NANOS);
    socket.send(card);
    byte[] answer = socket.receiveAll(RdmHello.BYTES, PATIENCE_NANOS);
    return answer == null ? null : RdmHello.from(answer);
  }

  /// A card as it should be, of an endpoint of this side.
  private RdmHello card() throws Exception {
    try (Route route = Addresses.unconnected(Library.load(), "127.0.0.1:0")) {
      channel = port.station(route).open(route, Greeting.LARGEST_WINDOW);
      Greeting ours = Greeting.of(Hello.request(42, Attributes.DEFAULT), 64);
      sequence = ours.sequence();
      return new RdmHello(ours, channel.identity, route.provider(), channel.name());
    }
  }

  /// Connects, and says the first word.
  private void connect() throws Exception {
    assertNotNull(meet(this::serve));
  }

  private RdmHello meet(Function<ConnectionRequest, String> server) throws Exception {
    RdmHello theirs = leave(card().toBytes(), server);
    if (theirs != null) {
      channel.meet(theirs, socket);
      channel.settle();
      send(Packet.CREDIT, 0, 0, 0);
    }
    return theirs;
  }

  /// What a peer may do wrong, and what is then said of it.
  enum Wrong {
    GARBAGE("packet "),
    TOO_SHORT("a packet of 3 bytes"),
    NOTHING_BUT_THE_NUMBER("a packet of 0 bytes"),
    REPEATED("packet "),
    NEGATIVE_LENGTH("of -1 bytes"),
    OVER_THE_LIMIT("of 100001 bytes where 0 to 100000"),
    CREDIT_FOR_NOTHING("more credit than was used"),
    MORE_THAN_THE_WINDOW("a message without credit"),
    AN_OFFER("an offer where none can be read"),
    BYTES_OVER_THE_SOCKET("the peer has closed it"),
    GONE_WITHOUT_A_GOODBYE("the peer has closed it");

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
        byte[] garbage = new byte[100];
        RandomGenerator.of("SplittableRandom").nextBytes(garbage);
        MemorySegment.copy(garbage, 0, scratch().memory(), ValueLayout.JAVA_BYTE, 0, 100);
        inject(channel.peerNumber(), 100);
      }
      case TOO_SHORT -> inject(channel.peerNumber(), 3);
      case NOTHING_BUT_THE_NUMBER -> inject(channel.peerNumber(), 0);
      case REPEATED -> {
        sequence--;
        send(Packet.CREDIT, 0, 0, 0);
      }
      case NEGATIVE_LENGTH -> send(Packet.MESSAGE, -1, 0, 10);
      case OVER_THE_LIMIT -> send(Packet.MESSAGE, 100_001, 0, 10);
      case CREDIT_FOR_NOTHING -> send(Packet.CREDIT, 0, 1, 0);
      case MORE_THAN_THE_WINDOW -> {
        for (int i = 0; i < Greeting.LARGEST_WINDOW + 2; i++) {
          send(Packet.MESSAGE, 1, 0, 1);
        }
      }
      case AN_OFFER -> {
        Packet.putRange(scratch().memory(), 0, 4096, 4711, 10);
        send(Packet.OFFER, 10, 0, Packet.RANGE_BYTES);
      }
      case BYTES_OVER_THE_SOCKET -> socket.send(ByteBuffer.allocate(10));
      case GONE_WITHOUT_A_GOODBYE -> channel.close();
    }
    while (!served.isDone()) {
      port.progress();
    }
    String why = served.get();
    assertTrue(why.contains(wrong.said), why);
  }

  private Buffer scratch() {
    return channel.station.scratch();
  }

  /// Sends a header, and as much content as the packet's buffer happens to hold.
  private void send(int kind, long length, int credits, long content) {
    Packet.put(scratch().memory(), kind, length, 0, DataType.BYTES, credits, sequence++);
    inject(channel.peerNumber(), Packet.HEADER_BYTES + content);
  }

  /// Sends what is in the buffer under a number; until there is a way to the peer, that is
  /// repeated.
  private void inject(long number, long bytes) {
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

  @Test
  void givesUpAPeerThatDoesNotCloseItsSide() throws Exception {
    assertNotNull(meet(this::close));
    while (closed.getCount() > 0 && !served.isDone()) {
      port.progress();
    }
    assertNull(socket.receiveAll(1, PATIENCE_NANOS));
    ended.countDown();
    assertEquals("ended", served.get());
  }

  @Test
  void dropsWhatBelongsToNoConnection() throws Exception {
    connect();
    for (int i = 0; i < 100; i++) {
      scratch().memory().fill((byte) i);
      inject(channel.peerNumber() + ((i + 1L) << 16), 40); // the right place, a wrong number
      inject(i, i);
    }
    long all = channel.endpoint.inject(scratch().address(), 3, channel.peer());
    assertEquals(0, all); // shorter than a number
    send(Packet.GOODBYE, 0, 0, 0);
    while (!served.isDone()) {
      port.progress();
    }
    assertEquals("ended", served.get());
  }

  /// Accepts a hostile peer, and when that has done its worst another one; returns what that sends.
  private String serveBoth(ConnectionRequest hostile) {
    try (CompletionQueue queue = fabric.completionQueue();
        VirtualInterface _ = hostile.accept(queue, SMALL)) {
      closed.countDown();
      while (ended.getCount() > 0) {
        Descriptor _ = queue.await(10_000_000);
      }
      VirtualInterface other = listener.next(PATIENCE).accept(queue, SMALL);
      Ticket memory = other.register(bytes(1000));
      other.postReceive(memory).orThrow();
      Descriptor received = queue.await(PATIENCE_NANOS);
      return received == null ? "nothing" : received.status() + " " + received.transferredBytes();
    }
  }

  @Test
  void aPacketThatIsLongerThanTheBuffersDoesNoHarmToOthers() throws Exception {
    assertNotNull(meet(this::serveBoth));
    while (closed.getCount() > 0 && !served.isDone()) {
      port.progress();
    }
    MemorySegment longer = Arena.global().allocate(Buffer.BYTES + 1000, Long.BYTES);
    longer.set(Packet.LONG, 0, channel.peerNumber());
    DeviceQueue station = channel.station;
    GatherList list = station.gatherList();
    for (int i = 0; i < Greeting.LARGEST_WINDOW; i++) {
      port.progress();
      Buffer spare = station.headers().take();
      Operation sent = station.operations().start(channel.mailbox, channel).send(spare, null);
      list.set(0, longer.address(), longer.byteSize(), 0);
      if (channel.endpoint.gather(
              list.address(), list.descriptors(), 1, channel.peer(), sent.number)
          != 0) {
        station.operations().end(sent); // the library has enough of it
        station.giveBack(spare);
      }
    }
    ended.countDown();
    try (Fabric own = Fabric.open("libfabric-rdm");
        CompletionQueue queue = own.completionQueue();
        VirtualInterface other = own.connect(listener.address(), 1, queue, SMALL, PATIENCE).get()) {
      Ticket memory = other.register(bytes(100));
      other.postSend(memory).orThrow();
      while (!served.isDone()) {
        port.progress();
        Descriptor _ = queue.poll();
      }
    }
    assertEquals("DONE 100", served.get());
  }

  @Test
  void closesSocketsThatBringGarbage() throws Exception {
    byte[] garbage = new byte[RdmHello.BYTES];
    RandomGenerator.of("SplittableRandom").nextBytes(garbage);
    assertNull(leave(ByteBuffer.wrap(garbage)));
    expectNobody();
  }

  @Test
  void closesSocketsThatBringAnAnswer() throws Exception {
    Hello answer = Hello.request(42, Attributes.DEFAULT).answered(Hello.Answer.ACCEPTED, 10);
    assertNull(leave(RdmHello.refusal(answer).toBytes()));
    expectNobody();
  }

  @Test
  void answersAnotherVersionWithItsOwn() throws Exception {
    Hello hello = new Hello(7, Hello.Answer.NONE, 42, 0);
    RdmHello answer = leave(RdmHello.refusal(hello).toBytes());
    assertNotNull(answer);
    assertEquals(Hello.Answer.OTHER_VERSION, answer.greeting().hello().answer());
    assertEquals(Hello.VERSION, answer.greeting().hello().version());
    expectNobody();
  }

  private void expectNobody() throws Exception {
    listener.wake();
    assertEquals("nobody asked", served.get(20, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, RdmHello.BYTES - 1})
  void isNotHeldUpByHalfACard(int bytes) throws Exception {
    byte[] half = Arrays.copyOf(card().toBytes().array(), bytes);
    try (TcpSocket silent = TcpSocket.connect(TcpAddress.parse(listener.address()), SECOND)) {
      try (TcpSocket ended = TcpSocket.connect(TcpAddress.parse(listener.address()), SECOND)) {
        ended.send(ByteBuffer.wrap(half));
      }
      silent.send(ByteBuffer.wrap(half));
      try (Fabric own = Fabric.open("libfabric-rdm");
          CompletionQueue queue = own.completionQueue()) {
        served = thread.submit(() -> reject(listener.next(PATIENCE)));
        Connection connection = own.connect(listener.address(), 7, queue, SMALL, PATIENCE);
        assertEquals(
            Connection.Reason.REJECTED,
            assertInstanceOf(Connection.Refused.class, connection).reason());
        assertEquals("7", served.get());
      }
    }
  }

  private static String reject(ConnectionRequest request) {
    request.reject();
    return String.valueOf(request.tag());
  }

  /// What somebody else's listener may answer.
  enum Answer {
    NOTHING,
    GARBAGE,
    HALF,
    ANOTHER_TAG,
    ANOTHER_VERSION,
    A_REQUEST,
    A_LONG_NAME
  }

  @ParameterizedTest
  @EnumSource
  void isRefusedByWhoeverAnswersSomethingElse(Answer answer) throws Exception {
    try (TcpSocket server = TcpSocket.listen(TcpAddress.parse("127.0.0.1:0"), 1)) {
      RdmHello good = card();
      Hello hello = new Hello(Hello.VERSION, Hello.Answer.ACCEPTED, 42, 10);
      ByteBuffer bytes =
          new RdmHello(new Greeting(hello, 1, 1), 1, good.provider(), good.name()).toBytes();
      ByteBuffer sent =
          switch (answer) {
            case NOTHING -> bytes.limit(0);
            case GARBAGE -> bytes.put(3, (byte) 'X');
            case HALF -> bytes.limit(RdmHello.BYTES / 2);
            case ANOTHER_TAG -> bytes.putLong(16, 43);
            case ANOTHER_VERSION -> bytes.putInt(8, Hello.VERSION + 1);
            case A_REQUEST -> bytes.putInt(12, 0);
            case A_LONG_NAME -> bytes.putInt(64, RdmHello.BYTES);
          };
      String address = TcpAddress.format(server.localAddress());
      Future<Connection> asked = thread.submit(() -> ask(address));
      try (TcpSocket accepted = accept(server)) {
        assertNotNull(accepted.receiveAll(RdmHello.BYTES, PATIENCE_NANOS));
        if (sent.hasRemaining()) {
          accepted.send(sent);
        }
      }
      Connection.Refused refusal =
          assertInstanceOf(Connection.Refused.class, asked.get(20, TimeUnit.SECONDS));
      Connection.Reason expected =
          answer == Answer.NOTHING
              ? Connection.Reason.NOBODY_LISTENS
              : Connection.Reason.INCOMPATIBLE;
      assertEquals(expected, refusal.reason());
    }
  }

  private Connection ask(String address) {
    return ask(address, PATIENCE);
  }

  private Connection ask(String address, Duration patience) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      return fabric.connect(address, 42, queue, SMALL, patience);
    }
  }

  /// Endpoints that cannot be what they are said to be.
  enum Endpoints {
    OF_ANOTHER_PROVIDER,
    WITH_A_SHORT_NAME,
    WITHOUT_A_NAME,
    OF_ANOTHER_FAMILY
  }

  @ParameterizedTest
  @EnumSource
  void refusesEndpointsThatTheLibraryCouldNotRead(Endpoints which) throws Exception {
    RdmHello good = card();
    ByteBuffer name = good.name();
    ByteBuffer other = ByteBuffer.allocate(name.remaining()).put(0, name, 0, name.remaining());
    RdmHello bad =
        switch (which) {
          case OF_ANOTHER_PROVIDER -> new RdmHello(good.greeting(), good.number(), "efa", name);
          case WITH_A_SHORT_NAME ->
              new RdmHello(good.greeting(), 1, good.provider(), name.slice(0, 4));
          case WITHOUT_A_NAME ->
              new RdmHello(good.greeting(), 1, good.provider(), name.slice(0, 0));
          case OF_ANOTHER_FAMILY ->
              new RdmHello(good.greeting(), 1, good.provider(), other.put(0, (byte) 99));
        };
    assertNotNull(leave(bad.toBytes()));
    String why = served.get(20, TimeUnit.SECONDS);
    assertTrue(why.contains("of libfabric, and this side"), why);
  }

  @Test
  void givesUpAPeerWhoseEndpointSaysNothing() throws Exception {
    assertNotNull(leave(card().toBytes()));
    String why = served.get(20, TimeUnit.SECONDS);
    assertTrue(why.contains("not made in time"), why);
  }

  /// Accepts, and waits without an end for a message; returns what has become of it.
  private String awaitOne(ConnectionRequest request) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, SMALL);
      closed.countDown();
      peer.postReceive(peer.register(bytes(100))).orThrow();
      Descriptor done = queue.await(Long.MAX_VALUE);
      return done.status() + " " + done.transferredBytes() + " " + peer.failure();
    }
  }

  @Test
  void aWaitEndsWhenAPeerSaysNothing() throws Exception {
    assertNotNull(leave(card().toBytes(), this::awaitOne));
    String why = served.get(20, TimeUnit.SECONDS);
    assertTrue(why.startsWith("FLUSHED") && why.contains("the peer has said nothing"), why);
  }

  @Test
  void hearsAPeerThatSpeaksAfterItWasAccepted() throws Exception {
    RdmHello theirs = leave(card().toBytes(), this::awaitOne);
    assertTrue(closed.await(20, TimeUnit.SECONDS));
    channel.meet(theirs, socket);
    channel.settle();
    send(Packet.CREDIT, 0, 0, 0);
    send(Packet.MESSAGE, 10, 0, 10);
    while (!served.isDone()) {
      port.progress();
    }
    assertEquals("DONE 10 null", served.get());
  }

  @Test
  void thoseWhoSayNothingDelayNobodyElse() throws Exception {
    ByteBuffer request = card().toBytes();
    CountDownLatch connected = new CountDownLatch(1);
    CountDownLatch accepted = new CountDownLatch(4);
    List<TcpSocket> silent = new ArrayList<>();
    Future<List<String>> all =
        thread.submit(() -> Bystander.serve(fabric, listener, SMALL, accepted));
    try (Fabric own = Fabric.open("libfabric-rdm");
        ExecutorService bystander = Executors.newSingleThreadExecutor()) {
      CountDownLatch enough = new CountDownLatch(1);
      Future<Long> longest =
          bystander.submit(
              () ->
                  Bystander.longestRoundTripNanos(
                      own, listener.address(), connected, () -> enough.getCount() == 0));
      assertTrue(connected.await(20, TimeUnit.SECONDS));
      for (int i = 0; i < 4; i++) {
        TcpSocket each = TcpSocket.connect(TcpAddress.parse(listener.address()), SECOND);
        silent.add(each);
        each.send(request.duplicate());
      }
      for (TcpSocket each : silent) {
        assertNotNull(each.receiveAll(RdmHello.BYTES, PATIENCE_NANOS));
      }
      for (TcpSocket each : silent) {
        assertNull(each.receiveAll(1, PATIENCE_NANOS)); // it is given up
      }
      enough.countDown();
      long nanos = longest.get(20, TimeUnit.SECONDS);
      assertTrue(nanos < SECOND, nanos + " ns");
    }
    for (String each : all.get(20, TimeUnit.SECONDS)) {
      assertTrue(each.startsWith("BROKEN") && each.contains("has said nothing"), each);
    }
    silent.forEach(TcpSocket::close);
  }

  /// What a listener may do that has accepted.
  enum AfterAll {
    LEAVES,
    SAYS_NOTHING
  }

  @ParameterizedTest
  @EnumSource
  void mayBeTriedAgainWhoAcceptsAndIsNotHeard(AfterAll what) throws Exception {
    try (TcpSocket server = TcpSocket.listen(TcpAddress.parse("127.0.0.1:0"), 1)) {
      RdmHello good = card();
      String address = TcpAddress.format(server.localAddress());
      Duration patience = what == AfterAll.LEAVES ? PATIENCE : Duration.ofMillis(500);
      Future<Connection> asked = thread.submit(() -> ask(address, patience));
      TcpSocket accepted = accept(server);
      Hello answer = good.greeting().hello().answered(Hello.Answer.ACCEPTED, 10);
      accepted.send(
          new RdmHello(new Greeting(answer, 1, 1), good.number(), good.provider(), good.name())
              .toBytes());
      if (what == AfterAll.LEAVES) {
        accepted.shutdownOutput();
      }
      Connection.Refused refusal =
          assertInstanceOf(Connection.Refused.class, asked.get(20, TimeUnit.SECONDS));
      accepted.close();
      assertEquals(
          what == AfterAll.LEAVES ? Connection.Reason.NOBODY_LISTENS : Connection.Reason.TIMED_OUT,
          refusal.reason());
      assertTrue(refusal.detail().startsWith("it has accepted, and"), refusal.detail());
    }
  }

  @Test
  void refusesAListenerWhoseEndpointIsNoneOfItsOwn() throws Exception {
    try (TcpSocket server = TcpSocket.listen(TcpAddress.parse("127.0.0.1:0"), 1)) {
      String address = TcpAddress.format(server.localAddress());
      RdmHello good = card();
      Future<Connection> asked = thread.submit(() -> ask(address));
      TcpSocket accepted = accept(server);
      Hello answer = good.greeting().hello().answered(Hello.Answer.ACCEPTED, 10);
      RdmHello bad = new RdmHello(new Greeting(answer, 1, 1), 1, "psm3", good.name());
      accepted.send(bad.toBytes());
      Connection.Refused refusal =
          assertInstanceOf(Connection.Refused.class, asked.get(20, TimeUnit.SECONDS));
      assertEquals(Connection.Reason.INCOMPATIBLE, refusal.reason());
      assertTrue(refusal.detail().contains("uses psm3"), refusal.detail());
      accepted.close();
    }
  }

  private static TcpSocket accept(TcpSocket server) {
    while (true) {
      try {
        return server.accept();
      } catch (dev.tigris.os.SystemException nobodyYet) {
        Thread.onSpinWait();
      }
    }
  }
}
