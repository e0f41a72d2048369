package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.TcpSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers that speak libfabric without connections, and not our protocol.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class HostileDatagramsTest extends HostileDatagrams {
  private static final long SECOND = 1_000_000_000L;

  private final CountDownLatch ended = new CountDownLatch(1);

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
        putGarbage(100);
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
        Packet.putRange(packet(), 0, 4096, 4711, 10);
        send(Packet.OFFER, 10, 0, Packet.RANGE_BYTES);
      }
      case BYTES_OVER_THE_SOCKET -> socket.send(ByteBuffer.allocate(10));
      case GONE_WITHOUT_A_GOODBYE -> channel.close();
    }
    String why = outcome();
    assertTrue(why.contains(wrong.said), why);
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
      packet().fill((byte) i);
      inject(channel.peerNumber() + ((i + 1L) << 16), 40); // the right place, a wrong number
      inject(i, i);
    }
    long all = channel.endpoint.inject(scratch().address(), 3, channel.peer());
    assertEquals(0, all); // shorter than a number
    send(Packet.GOODBYE, 0, 0, 0);
    assertEquals("ended", outcome());
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
    DeviceQueue deviceQueue = channel.deviceQueue;
    GatherList list = deviceQueue.gatherList();
    for (int i = 0; i < Greeting.LARGEST_WINDOW; i++) {
      port.progress();
      Buffer spare = deviceQueue.headers().take();
      Operation sent =
          deviceQueue.operations().start(channel.receivingEndpoint, channel).send(spare, null);
      list.set(0, longer.address(), longer.byteSize(), 0);
      if (channel.endpoint.gather(
              list.address(), list.descriptors(), 1, channel.peer(), sent.number)
          != 0) {
        deviceQueue.operations().end(sent); // the library has enough of it
        deviceQueue.giveBack(spare);
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
    assertNull(leave(ByteBuffer.wrap(garbage(RdmHello.BYTES))));
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

  @ParameterizedTest
  @ValueSource(ints = {0, 1, RdmHello.BYTES - 1})
  void isNotHeldUpByHalfACard(int bytes) throws Exception {
    byte[] half = Arrays.copyOf(rdmHello().toBytes().array(), bytes);
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
      RdmHello good = rdmHello();
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
      Future<Connection> asked = thread.submit(() -> ask(address, PATIENCE));
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
    RdmHello good = rdmHello();
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
  void hearsAPeerThatSpeaksAfterItWasAccepted() throws Exception {
    RdmHello theirs = leave(rdmHello().toBytes(), this::awaitOne);
    assertTrue(closed.await(20, TimeUnit.SECONDS));
    channel.meet(theirs, socket);
    channel.settle();
    send(Packet.CREDIT, 0, 0, 0);
    send(Packet.MESSAGE, 10, 0, 10);
    assertEquals("DONE 10 null", outcome());
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
      RdmHello good = rdmHello();
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
      RdmHello good = rdmHello();
      Future<Connection> asked = thread.submit(() -> ask(address, PATIENCE));
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
