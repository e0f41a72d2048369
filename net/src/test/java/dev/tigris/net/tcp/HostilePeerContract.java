// Over 400 lines: whatever a peer can do wrong has one place.
package dev.tigris.net.tcp;

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
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.DataType;
import dev.tigris.net.Delivery;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.testing.process.OpenFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers that speak TCP and do not keep to the protocol: what each of them leads to, for every
/// provider over TCP.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
public abstract class HostilePeerContract {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int RESETS = 500;
  private static final long LONG_NANOS = PATIENCE.toNanos();

  private final String provider;
  private final int linksBeside;
  private final List<Socket> beside = new ArrayList<>();
  private Fabric fabric;
  private CompletionQueue queue;
  private Listener listener;

  /// @param linksBeside how many idle links the queue has beside the one under attack
  protected HostilePeerContract(String provider, int linksBeside) {
    this.provider = provider;
    this.linksBeside = linksBeside;
  }

  /// The provider's half of a listener, with this much patience.
  protected abstract ProviderListener listener(String address, long handshakeNanos);

  @BeforeEach
  void open() throws IOException {
    fabric = Fabric.open(provider);
    queue = fabric.completionQueue();
    listener = fabric.listen("127.0.0.1:0");
    for (int i = 0; i < linksBeside; i++) {
      beside.add(socket());
      VirtualInterface _ = accept(beside.getLast(), Attributes.DEFAULT);
    }
  }

  @AfterEach
  void close() throws IOException {
    for (Socket idle : beside) {
      idle.close();
    }
    queue.close();
    listener.close();
    fabric.close();
  }

  private static ByteBuffer bytes(int count) {
    return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
  }

  /// A request or answer, with whatever values.
  private static byte[] hello(String magic, int version, int answer, long tag, long maximum) {
    return bytes(Hello.BYTES)
        .put(magic.getBytes(StandardCharsets.US_ASCII))
        .putInt(version)
        .putInt(answer)
        .putLong(tag)
        .putLong(maximum)
        .array();
  }

  private static byte[] frame(int length, int kind, int sequence) {
    return bytes(16).putInt(length).putInt(0).putInt(kind).putInt(sequence).array();
  }

  private Socket socket() throws IOException {
    InetSocketAddress address = TcpAddress.parse(listener.address());
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static void expectEndOfStream(Socket socket) throws IOException {
    try {
      assertEquals(-1, socket.getInputStream().read());
    } catch (SocketException reset) {
      assertTrue(reset.getMessage().contains("reset"), reset.getMessage());
    }
  }

  // ---- at a listener

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 31})
  void isNotHeldUpByHalfARequest(int sent) throws Exception {
    try (Socket silent = socket();
        Socket proper = socket()) {
      byte[] request = hello("TIGRISVI", Hello.VERSION, 0, 7, 1000);
      silent.getOutputStream().write(request, 0, sent);
      proper.getOutputStream().write(request);
      assertEquals(7, listener.next(PATIENCE).tag());
      silent.getOutputStream().write(request, sent, request.length - sent);
      assertEquals(7, listener.next(PATIENCE).tag());
    }
  }

  @Test
  void forgetsHalfARequestAfterAWhile() throws Exception {
    try (ProviderListener listener = listener("127.0.0.1:0", TimeUnit.MILLISECONDS.toNanos(20))) {
      InetSocketAddress address = TcpAddress.parse(listener.address());
      try (Socket silent = new Socket(address.getAddress(), address.getPort())) {
        silent.setSoTimeout((int) PATIENCE.toMillis());
        silent.getOutputStream().write(1);
        FutureTask<ProviderListener.IncomingRequest> waiting =
            new FutureTask<>(() -> listener.next(LONG_NANOS));
        Thread.ofVirtual().start(waiting);
        expectEndOfStream(silent);
        listener.wake();
        assertNull(waiting.get());
      }
    }
  }

  @Test
  void closesOnGarbage() throws Exception {
    try (Socket garbage = socket();
        Socket ended = socket();
        Socket badAnswer = socket();
        Socket anAnswer = socket();
        Socket badMaximum = socket()) {
      garbage
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: tigris.example\r\n".getBytes(StandardCharsets.US_ASCII));
      ended.getOutputStream().write(1);
      ended.shutdownOutput();
      badAnswer.getOutputStream().write(hello("TIGRISVI", Hello.VERSION, 99, 0, 1));
      anAnswer.getOutputStream().write(hello("TIGRISVI", Hello.VERSION, 1, 0, 1));
      badMaximum.getOutputStream().write(hello("TIGRISVI", Hello.VERSION, 0, 0, -1));
      assertNull(listener.next(Duration.ofMillis(100)));
      expectEndOfStream(garbage);
      expectEndOfStream(ended);
      expectEndOfStream(badAnswer);
      expectEndOfStream(anAnswer);
      expectEndOfStream(badMaximum);
    }
  }

  @Test
  void tellsAPeerOfAnotherVersionWhichOneItSpeaks() throws Exception {
    try (Socket newer = socket()) {
      newer.getOutputStream().write(hello("TIGRISVI", Hello.VERSION + 1, 0, 7, 1000));
      assertNull(listener.next(Duration.ofMillis(100)));
      byte[] answer = newer.getInputStream().readNBytes(Hello.BYTES);
      assertEquals(Hello.VERSION, ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt(8));
      expectEndOfStream(newer);
    }
  }

  @Test
  void survivesManyWhoSayNothing() throws Exception {
    Socket[] silent = new Socket[1_200];
    try {
      for (int i = 0; i < silent.length; i++) {
        silent[i] = socket();
        if (i % 100 == 0) {
          assertNull(listener.next(Duration.ofMillis(1)));
        }
      }
      try (Socket proper = socket()) {
        proper.getOutputStream().write(hello("TIGRISVI", Hello.VERSION, 0, 7, 1000));
        assertEquals(7, listener.next(PATIENCE).tag());
      }
    } finally {
      for (Socket each : silent) {
        if (each != null) {
          each.close();
        }
      }
    }
  }

  @Test
  void survivesRandomBytesAtItsDoor() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200; i++) {
      byte[] request = hello("TIGRISVI", Hello.VERSION, 0, 7, 1000);
      request[random.nextInt(request.length)] ^= (byte) (1 << random.nextInt(8));
      try (Socket socket = socket()) {
        socket.getOutputStream().write(request);
        ConnectionRequest asked = listener.next(Duration.ofMillis(1));
        if (asked != null) {
          asked.reject();
        }
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  // ---- at a listener of somebody else

  /// What becomes of connecting to somebody who sends these bytes, and then closes or stays silent.
  private Connection connectTo(byte[] answer, boolean closes, Duration timeout) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<Socket> stranger =
          new FutureTask<>(
              () -> {
                Socket socket = server.accept();
                socket.getInputStream().readNBytes(Hello.BYTES);
                socket.getOutputStream().write(answer);
                if (closes) {
                  socket.close();
                }
                return socket;
              });
      Thread.ofVirtual().start(stranger);
      Connection connection =
          fabric.connect(
              "127.0.0.1:" + server.getLocalPort(), 7, queue, Attributes.DEFAULT, timeout);
      stranger.get().close();
      return connection;
    }
  }

  private void expectRefusal(Reason reason, byte[] answer, boolean closes, long millis)
      throws Exception {
    Connection connection = connectTo(answer, closes, Duration.ofMillis(millis));
    assertEquals(reason, assertInstanceOf(Connection.Refused.class, connection).reason());
  }

  @Test
  void isRefusedByWhoeverAnswersSomethingElse() throws Exception {
    byte[] accepted = hello("TIGRISVI", Hello.VERSION, 1, 7, 1000);
    expectRefusal(
        Reason.INCOMPATIBLE,
        "HTTP/1.1 400 Bad Request, and so on".getBytes(StandardCharsets.US_ASCII),
        true,
        9000);
    expectRefusal(Reason.NOBODY_LISTENS, new byte[0], true, 9000);
    expectRefusal(Reason.INCOMPATIBLE, Arrays.copyOf(accepted, 31), true, 9000);
    expectRefusal(
        Reason.INCOMPATIBLE, hello("TIGRISVI", Hello.VERSION + 1, 1, 7, 1000), true, 9000);
    expectRefusal(Reason.INCOMPATIBLE, hello("TIGRISVI", Hello.VERSION, 3, 7, 0), true, 9000);
    expectRefusal(Reason.INCOMPATIBLE, hello("TIGRISVI", Hello.VERSION, 1, 8, 0), true, 9000);
    expectRefusal(Reason.REJECTED, hello("TIGRISVI", Hello.VERSION, 2, 7, 0), true, 9000);
    expectRefusal(Reason.TIMED_OUT, new byte[0], false, 50);
    expectRefusal(Reason.TIMED_OUT, Arrays.copyOf(accepted, 31), false, 50);
  }

  /// A reset may come at any moment of connecting, before the connection is seen to be made too.
  @Test
  void isRefusedByWhoeverResetsAtOnce() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      FutureTask<Void> resetting =
          new FutureTask<>(
              () -> {
                for (int i = 0; i < RESETS; i++) {
                  Socket socket = server.accept();
                  socket.setOption(StandardSocketOptions.SO_LINGER, 0);
                  socket.close();
                }
                return null;
              });
      Thread.ofPlatform().start(resetting);
      for (int i = 0; i < RESETS; i++) {
        Connection connection =
            fabric.connect(
                "127.0.0.1:" + server.getLocalPort(), 7, queue, Attributes.DEFAULT, PATIENCE);
        assertEquals(
            Reason.NOBODY_LISTENS, assertInstanceOf(Connection.Refused.class, connection).reason());
      }
      resetting.get();
    }
  }

  // ---- at an interface

  /// Connects a socket that has made a proper request, which has been accepted.
  private VirtualInterface accept(Socket socket, Attributes attributes) throws IOException {
    socket.getOutputStream().write(hello("TIGRISVI", Hello.VERSION, 0, 7, 1000));
    VirtualInterface made = listener.next(PATIENCE).accept(queue, attributes);
    assertEquals(Hello.BYTES, socket.getInputStream().readNBytes(Hello.BYTES).length);
    return made;
  }

  private void expectBroken(VirtualInterface broken, String reason) {
    long start = System.nanoTime();
    while (broken.state() == InterfaceState.CONNECTED) {
      Descriptor next = queue.await(1_000_000);
      assertTrue(next == null || next.status() != Status.POSTED);
      assertTrue(System.nanoTime() - start < LONG_NANOS, "it stays connected");
    }
    assertEquals(InterfaceState.BROKEN, broken.state());
    NetException failure = broken.failure();
    assertNotNull(failure);
    assertTrue(failure.getMessage().contains(reason), failure.getMessage());
  }

  private void expectBreach(byte[] sent, String reason) throws Exception {
    try (Socket socket = socket()) {
      VirtualInterface made = accept(socket, Attributes.DEFAULT.withMaximumMessageBytes(100_000));
      Ticket memory = made.register(Jbuf.allocate(1000, "test").asBytes());
      made.postReceive(memory).orThrow();
      socket.getOutputStream().write(sent);
      expectBroken(made, reason);
      assertEquals(Status.FLUSHED, memory.status());
      expectEndOfStream(socket);
      made.deregister(memory);
    }
  }

  @Test
  void breaksOnFramesThatAreNone() throws Exception {
    expectBreach(frame(100_001, 0x101, 0), "100001 bytes");
    expectBreach(frame(-1, 0x101, 0), "-1 bytes");
    expectBreach(frame(Integer.MIN_VALUE, 0x101, 0), "-2147483648 bytes");
    expectBreach(frame(1, 0x101, 1), "frame 1 where 0");
    expectBreach(frame(1, 0x103, 0), "unknown kind");
    expectBreach(frame(1, DataType.values().length << 8 | 1, 0), "unknown kind");
    expectBreach(frame(1, 0x80000101, 0), "unknown kind");
    expectBreach(frame(1, 2, 0), "goodbye that is not empty");
    expectBreach(
        "GET / HTTP/1.1\r\nHost: tigris.example\r\n".getBytes(StandardCharsets.US_ASCII),
        "does not keep");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16, 17, 5_000, 50_000})
  void breaksWhenThePeerEndsWithoutAGoodbye(int sent) throws Exception {
    byte[] message = new byte[16 + 60_000];
    System.arraycopy(frame(60_000, 0x101, 0), 0, message, 0, 16);
    try (Socket socket = socket()) {
      VirtualInterface made = accept(socket, Attributes.DEFAULT);
      Ticket memory = made.register(Jbuf.allocate(60_000, "test").asBytes());
      made.postReceive(memory).orThrow();
      socket.getOutputStream().write(message, 0, sent);
      socket.shutdownOutput();
      expectBroken(made, "without a goodbye");
      assertEquals(Status.FLUSHED, memory.status());
      made.deregister(memory);
    }
  }

  /// The stream has ended when the first of them is asked for: a link may have held it back.
  @ParameterizedTest
  @CsvSource({"100, true", "100, false", "30000, true", "30000, false"})
  void takesWhatHasArrivedBeforeTheStreamEnded(int length, boolean inOrder) throws Exception {
    int count = 6;
    byte[] sent = new byte[count * (16 + length) + (inOrder ? 16 : 0)];
    ByteBuffer frames = ByteBuffer.wrap(sent);
    for (int i = 0; i < count; i++) {
      byte[] content = new byte[length];
      Arrays.fill(content, (byte) i);
      frames.put(frame(length, 0x101, i)).put(content);
    }
    if (inOrder) {
      frames.put(frame(0, 2, count));
    }
    try (Socket socket = socket()) {
      VirtualInterface made = accept(socket, Attributes.DEFAULT);
      socket.getOutputStream().write(sent);
      socket.shutdownOutput();
      for (int i = 0; i < 10; i++) {
        assertNull(queue.await(2_000_000));
      }
      Bytes memory = Jbuf.allocate(length, "test").asBytes();
      Ticket ticket = made.register(memory);
      for (int i = 0; i < count; i++) {
        assertEquals(InterfaceState.CONNECTED, made.state());
        made.postReceive(ticket).orThrow();
        assertEquals(ticket, queue.await(LONG_NANOS));
        assertEquals(Status.DONE, ticket.status());
        assertEquals(length, ticket.transferredBytes());
        assertEquals(i, memory.get(0));
        assertEquals(i, memory.get(length - 1L));
      }
      while (made.state() == InterfaceState.CONNECTED) {
        assertNull(queue.await(1_000_000));
      }
      assertEquals(inOrder ? InterfaceState.ENDED : InterfaceState.BROKEN, made.state());
      made.deregister(ticket);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 60_000})
  void takesAMessageThatComesByteByByte(int length) throws Exception {
    try (Socket socket = socket()) {
      VirtualInterface made = accept(socket, Attributes.DEFAULT);
      Ticket memory = made.register(Jbuf.allocate(length, "test").asBytes());
      made.postReceive(memory).orThrow();
      socket.setTcpNoDelay(true);
      for (byte each : frame(length, 0x101, 0)) {
        socket.getOutputStream().write(each);
        assertNull(queue.poll());
      }
      int step = length / 50;
      for (int i = 0; i < length; i += step) {
        assertNull(queue.poll());
        byte[] part = new byte[step];
        Arrays.fill(part, (byte) (i / step));
        socket.getOutputStream().write(part);
      }
      assertEquals(memory, queue.await(LONG_NANOS));
      assertEquals(length, memory.transferredBytes());
      socket.getOutputStream().write(frame(0, 2, 1));
      while (made.state() == InterfaceState.CONNECTED) {
        assertNull(queue.await(1_000_000));
      }
      assertEquals(InterfaceState.ENDED, made.state());
      made.deregister(memory);
    }
  }

  @Test
  void holdsNothingForAPeerThatReadsSlowlyOrNever() throws Exception {
    try (Socket socket = socket()) {
      VirtualInterface made = accept(socket, Attributes.DEFAULT);
      assertEquals(1000, made.maximumMessageBytes());
      Ticket[] messages = new Ticket[64];
      int sent = 0;
      for (int i = 0; i < messages.length; i++) {
        messages[i] = made.register(Jbuf.allocate(1000, "test").asBytes());
        made.postSend(messages[i]).orThrow();
      }
      for (Descriptor next = queue.await(LONG_NANOS);
          next != null;
          next = queue.await(20_000_000)) {
        assertEquals(Status.DONE, next.status());
        made.postSend(next).orThrow();
        sent++;
      }
      assertEquals(0, made.counters().messagesReceived());
      InputStream in = socket.getInputStream();
      in.readNBytes(1016 * (sent / 2));
      assertNotNull(queue.await(LONG_NANOS));
      made.abort();
      while (queue.poll() != null) {
        // flushed
      }
      for (Ticket message : messages) {
        assertTrue(message.status() != Status.POSTED);
        made.deregister(message);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void survivesRandomBytesAtAnInterface(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      Delivery delivery = random.nextBoolean() ? Delivery.RELIABLE : Delivery.UNRELIABLE;
      try (Socket socket = socket()) {
        VirtualInterface made =
            accept(
                socket, Attributes.DEFAULT.withDelivery(delivery).withMaximumMessageBytes(50_000));
        Ticket memory = made.register(Jbuf.allocate(10_000, "test").asBytes());
        made.postReceive(memory).orThrow();
        FutureTask<String> sending =
            new FutureTask<>(() -> sendFramesAndGarbage(socket, random.split()));
        Thread.ofVirtual().start(sending);
        while (made.state() == InterfaceState.CONNECTED) {
          if (queue.await(1_000_000) != null && made.state() == InterfaceState.CONNECTED) {
            made.postReceive(memory).orThrow();
          }
        }
        quietly(sending);
        made.close();
        while (queue.poll() != null) {
          // flushed
        }
        made.deregister(memory);
      }
    }
  }

  /// Some proper frames, and then one with a bit that is wrong; then it closes.
  private static String sendFramesAndGarbage(Socket socket, SplittableRandom random)
      throws IOException {
    int frames = random.nextInt(5);
    for (int i = 0; i <= frames; i++) {
      int length = random.nextInt(1 << random.nextInt(1, 16));
      byte[] header = frame(length, 0x101, i);
      if (i == frames) {
        header[random.nextInt(16)] ^= (byte) (1 << random.nextInt(8));
      }
      socket.getOutputStream().write(header);
      socket.getOutputStream().write(new byte[length]);
    }
    socket.close();
    return "done";
  }

  private static void quietly(Future<String> sending) throws Exception {
    try {
      sending.get(10, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    } catch (java.util.concurrent.ExecutionException e) {
      assertInstanceOf(IOException.class, e.getCause()); // the interface closed first
    }
  }

  // ---- at an interface that is closed

  /// They read nothing. Few are looked at one after the other, many only when they have something.
  @ParameterizedTest
  @ValueSource(ints = {1, 10})
  void letsGoOfPeersThatDoNotCloseTheirSide(int count) throws Exception {
    OpenFiles before = OpenFiles.now();
    List<Socket> peers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      peers.add(socket());
      accept(peers.getLast(), Attributes.DEFAULT).close();
    }
    long start = System.nanoTime();
    while (before.opened().size() > count && System.nanoTime() - start < LONG_NANOS) {
      assertNull(queue.await(1_000_000));
    }
    assertEquals(count, before.opened().size(), "those of the peers are open, and no more");
    for (Socket peer : peers) {
      peer.close();
    }
  }
}
