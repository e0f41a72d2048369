// Over 400 lines: whatever a process can do wrong has one place.
package dev.tigris.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import dev.tigris.testing.process.OpenFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Processes of this host that have the socket and the memory, and do not keep to the protocol:
/// what each of them leads to. None of them costs the listener or the interface an open file.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LONG_NANOS = PATIENCE.toNanos();
  private static final String MAGIC = "TIGRISVI";

  private Fabric fabric;
  private CompletionQueue queue;
  private Listener listener;
  private String socketName;
  private OpenFiles openFiles;

  @BeforeEach
  void open() throws IOException {
    fabric = Fabric.open("shm");
    queue = fabric.completionQueue();
    listener = fabric.listen("*");
    socketName = ShmAddress.socketName(listener.address());
    openFiles = OpenFiles.now();
  }

  @AfterEach
  void closeAndCountOpenFiles() throws IOException {
    openFiles.assertNoMore();
    queue.close();
    listener.close();
    fabric.close();
  }

  private static ByteBuffer hello(String magic, int version, int answer, long tag, long maximum) {
    return ByteBuffer.allocate(Hello.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(magic.getBytes(StandardCharsets.US_ASCII))
        .putInt(version)
        .putInt(answer)
        .putLong(tag)
        .putLong(maximum)
        .flip();
  }

  private static ByteBuffer request() {
    return hello(MAGIC, Hello.VERSION, 0, 7, 1000);
  }

  private static SharedMemory memory() throws SystemException {
    return SharedMemory.create("tigris-test", Channel.SMALL_BYTES);
  }

  /// The next packet; one of no bytes is the end.
  private static UnixSocket.Packet receive(UnixSocket from) throws SystemException {
    try (PollSet set = new PollSet()) {
      set.add(from.file());
      long start = System.nanoTime();
      while (true) {
        UnixSocket.Packet packet = from.receive();
        if (packet != null) {
          return packet;
        }
        assertTrue(System.nanoTime() - start < LONG_NANOS, "nothing comes");
        set.await(LONG_NANOS);
      }
    }
  }

  private static void expectEnd(UnixSocket socket) throws SystemException {
    assertEquals(0, receive(socket).bytes().remaining());
  }

  // ---- at a listener

  private void expectClosed(ByteBuffer request, @Nullable OpenFile file) throws SystemException {
    try (UnixSocket socket = UnixSocket.connect(socketName)) {
      socket.send(request, file);
      assertNull(listener.next(Duration.ofMillis(20)));
      expectEnd(socket);
    }
  }

  @Test
  void closesOnGarbage() throws SystemException {
    try (SharedMemory memory = memory();
        SharedMemory small = SharedMemory.create("tigris-test", Channel.SMALL_BYTES - 4096);
        SharedMemory between = SharedMemory.create("tigris-test", Channel.LARGE_BYTES - 4096);
        Signal noMemory = new Signal()) {
      expectClosed(ByteBuffer.wrap("GET /".getBytes(StandardCharsets.US_ASCII)), null);
      expectClosed(request().limit(31), memory.file());
      expectClosed(ByteBuffer.allocate(33).put(request()).rewind(), memory.file());
      expectClosed(hello("TIGRISVJ", Hello.VERSION, 0, 7, 1), memory.file());
      expectClosed(hello(MAGIC, Hello.VERSION, 99, 7, 1), memory.file());
      expectClosed(hello(MAGIC, Hello.VERSION, 1, 7, 1), memory.file());
      expectClosed(hello(MAGIC, Hello.VERSION, 0, 7, -1), memory.file());
      expectClosed(request(), null);
      expectClosed(request(), small.file());
      expectClosed(request(), between.file());
      expectClosed(request(), noMemory.file());
    }
  }

  @Test
  void tellsAPeerOfAnotherVersionWhichOneItSpeaks() throws SystemException {
    try (UnixSocket newer = UnixSocket.connect(socketName);
        Signal somethingElse = new Signal()) {
      newer.send(hello(MAGIC, Hello.VERSION + 1, 0, 7, 1000), somethingElse.file());
      assertNull(listener.next(Duration.ofMillis(20)));
      assertEquals(Hello.VERSION, receive(newer).bytes().getInt(8));
      expectEnd(newer);
    }
  }

  @Test
  void isNotHeldUpByThoseWhoSayNothing() throws SystemException {
    List<UnixSocket> silent = new ArrayList<>();
    try (SharedMemory memory = memory();
        Arena arena = Arena.ofConfined()) {
      memory.map(arena);
      for (int i = 0; i < 1_200; i++) {
        silent.add(UnixSocket.connect(socketName));
        if (i % 100 == 0) {
          assertNull(listener.next(Duration.ofMillis(1)));
        }
      }
      try (UnixSocket proper = UnixSocket.connect(socketName)) {
        proper.send(request(), memory.file());
        listener.next(PATIENCE).reject();
        silent.getLast().send(request(), memory.file());
        ConnectionRequest late = listener.next(PATIENCE);
        assertEquals(7, late.tag());
        late.reject();
      }
      expectEnd(silent.getFirst()); // the oldest had to go
    } finally {
      silent.forEach(UnixSocket::close);
    }
    try (UnixSocket last = UnixSocket.connect(socketName)) { // so that the others are seen to end
      assertNull(listener.next(Duration.ofMillis(20)));
      assertNull(last.receive());
    }
    assertNull(listener.next(Duration.ofMillis(20)));
  }

  @Test
  void forgetsThoseWhoSayNothingAfterAWhile() throws Exception {
    try (ProviderListener listener = new ShmListener("*", TimeUnit.MILLISECONDS.toNanos(20));
        UnixSocket silent = UnixSocket.connect(ShmAddress.socketName(listener.address()))) {
      FutureTask<ProviderListener.IncomingRequest> waiting =
          new FutureTask<>(() -> listener.next(LONG_NANOS));
      Thread.ofVirtual().start(waiting);
      expectEnd(silent);
      listener.wake();
      assertNull(waiting.get());
    }
  }

  // ---- at a listener of somebody else

  private void expectRefusal(Reason reason, ByteBuffer answer, boolean closes) throws Exception {
    expectRefusal(reason, answer, null, closes);
  }

  private void expectRefusal(
      Reason reason, ByteBuffer answer, @Nullable OpenFile attached, boolean closes)
      throws Exception {
    String name = "stranger-" + System.nanoTime();
    try (UnixSocket server = UnixSocket.listen(ShmAddress.socketName(name), 1);
        PollSet set = new PollSet()) {
      FutureTask<UnixSocket> stranger =
          new FutureTask<>(
              () -> {
                set.add(server.file());
                set.await(LONG_NANOS);
                UnixSocket socket = server.accept();
                receive(socket).file().close();
                if (answer.hasRemaining()) {
                  socket.send(answer, attached);
                }
                if (closes) {
                  socket.close();
                }
                return socket;
              });
      Thread.ofPlatform().daemon().start(stranger);
      Connection connection =
          fabric.connect(
              name, 7, queue, Attributes.DEFAULT, closes ? PATIENCE : Duration.ofMillis(50));
      stranger.get().close();
      assertEquals(reason, assertInstanceOf(Connection.Refused.class, connection).reason());
    }
  }

  @Test
  void isRefusedByWhoeverAnswersSomethingElse() throws Exception {
    ByteBuffer nothing = ByteBuffer.allocate(0);
    ByteBuffer garbage = ByteBuffer.wrap("HTTP/1.1 400".getBytes(StandardCharsets.US_ASCII));
    expectRefusal(Reason.INCOMPATIBLE, garbage, true);
    expectRefusal(Reason.INCOMPATIBLE, hello(MAGIC, Hello.VERSION + 1, 1, 7, 1), true);
    expectRefusal(Reason.INCOMPATIBLE, hello(MAGIC, Hello.VERSION, 3, 7, 0), true);
    expectRefusal(Reason.INCOMPATIBLE, hello(MAGIC, Hello.VERSION, 1, 8, 0), true);
    expectRefusal(Reason.INCOMPATIBLE, hello(MAGIC, Hello.VERSION, 0, 7, 0), true);
    expectRefusal(Reason.REJECTED, hello(MAGIC, Hello.VERSION, 2, 7, 0), true);
    expectRefusal(Reason.NOBODY_LISTENS, nothing, true);
    expectRefusal(Reason.TIMED_OUT, nothing, false);
    try (Signal unasked = new Signal()) {
      expectRefusal(Reason.INCOMPATIBLE, garbage, unasked.file(), true);
      expectRefusal(Reason.REJECTED, hello(MAGIC, Hello.VERSION, 2, 7, 0), unasked.file(), true);
    }
  }

  // ---- at an interface

  /// A process that has been accepted.
  private final class Intruder implements AutoCloseable {
    final UnixSocket socket;
    final Arena arena = Arena.ofConfined();
    final MemorySegment channel;
    final VirtualInterface victim;
    final Ticket memory;

    Intruder(Attributes attributes) throws SystemException {
      socket = UnixSocket.connect(socketName);
      try (SharedMemory shared = memory()) {
        channel = shared.map(arena);
        socket.send(request(), shared.file());
      }
      victim = listener.next(PATIENCE).accept(queue, attributes);
      assertEquals(Hello.BYTES, receive(socket).bytes().remaining());
      memory = victim.register(Jbuf.allocate(50_000, "test").asBytes());
      victim.postReceive(memory).orThrow();
    }

    /// Writes a slot to the ring that the victim reads.
    void slot(int use, int length, int kind, int sequence) {
      MemorySegment slot = channel.asSlice(Bell.BYTES + Ring.slot(use), Ring.SLOT_BYTES);
      slot.set(ValueLayout.JAVA_INT, 0, length);
      slot.set(ValueLayout.JAVA_INT, 8, kind);
      slot.set(ValueLayout.JAVA_INT, 12, sequence);
    }

    void expectBroken(String reason) {
      long start = System.nanoTime();
      while (victim.state() == InterfaceState.CONNECTED) {
        Descriptor next = queue.await(1_000_000);
        assertTrue(next == null || next.status() != Status.POSTED);
        assertTrue(System.nanoTime() - start < LONG_NANOS, "it stays connected");
      }
      assertEquals(InterfaceState.BROKEN, victim.state());
      NetException failure = victim.failure();
      assertNotNull(failure);
      assertTrue(failure.getMessage().contains(reason), failure.getMessage());
      while (queue.poll() != null) {
        // flushed
      }
      assertEquals(Status.FLUSHED, memory.status());
    }

    @Override
    public void close() {
      victim.close();
      while (queue.poll() != null) {
        // flushed
      }
      victim.deregister(memory);
      socket.close();
      arena.close();
    }
  }

  private void expectBreach(int length, int kind, int sequence, String reason)
      throws SystemException {
    Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(100_000);
    try (Intruder intruder = new Intruder(attributes)) {
      intruder.slot(0, length, kind, sequence);
      intruder.expectBroken(reason);
      expectEnd(intruder.socket);
    }
  }

  @Test
  void breaksOnSlotsThatAreNone() throws SystemException {
    expectBreach(100_001, 0x101, 1, "100001 bytes");
    expectBreach(-1, 0x101, 1, "-1 bytes");
    expectBreach(Integer.MIN_VALUE, 0x101, 1, "-2147483648 bytes");
    expectBreach(1, 0x101, 2, "sequence 2");
    expectBreach(1, 0x105, 1, "unknown kind");
    expectBreach(1, Ring.CONTINUED, 1, "unknown kind");
    expectBreach(1, DataType.values().length << 8 | 1, 1, "unknown kind");
    expectBreach(1, 0x80000101, 1, "unknown kind");
    expectBreach(1, 2, 1, "goodbye that is not empty");
  }

  @Test
  void breaksWhenSlotsAreGivenBackThatItHasNotUsed() throws SystemException {
    try (Intruder intruder = new Intruder(Attributes.DEFAULT)) {
      Ticket message = intruder.victim.register(Jbuf.allocate(1, "test").asBytes());
      intruder.channel.set(
          ValueLayout.JAVA_LONG, Bell.BYTES + Ring.bytes(Ring.SMALL_DATA) + Ring.FREED, 1_000);
      for (int i = 0; i < Ring.SLOTS - 1; i++) {
        intruder.victim.postSend(message).orThrow();
        assertEquals(message, queue.await(LONG_NANOS));
      }
      intruder.victim.postSend(message).orThrow();
      intruder.expectBroken("gives back slot 1000");
      assertEquals(Status.FLUSHED, message.status());
      intruder.victim.deregister(message);
    }
  }

  @Test
  void breaksWhenThePeerEndsInTheMiddleOfAMessage() throws SystemException {
    try (Intruder intruder = new Intruder(Attributes.DEFAULT)) {
      intruder.slot(0, 3 * Ring.PART_BYTES, 0x101, 1);
      assertNull(queue.poll());
      intruder.slot(1, 0, Ring.CONTINUED, 2);
      intruder.socket.close();
      intruder.expectBroken("without a goodbye");
    }
  }

  @Test
  void isWokenInVainByNudgesAndDamagedWords() throws SystemException {
    try (Intruder intruder = new Intruder(Attributes.DEFAULT);
        SharedMemory unasked = memory()) {
      for (int round = 0; round < 20; round++) {
        intruder.socket.send(ByteBuffer.allocate(round + 1), unasked.file());
        intruder.channel.set(ValueLayout.JAVA_INT, 0, round);
        intruder.channel.set(ValueLayout.JAVA_INT, 128, -round);
        assertNull(queue.await(1_000_000));
      }
      assertEquals(InterfaceState.CONNECTED, intruder.victim.state());
      intruder.slot(0, 0, 2, 1);
      intruder.socket.close();
      while (intruder.victim.state() == InterfaceState.CONNECTED) {
        Descriptor _ = queue.await(1_000_000);
      }
      assertEquals(InterfaceState.ENDED, intruder.victim.state());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void survivesRandomMemory(long seed) throws SystemException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      Delivery delivery = random.nextBoolean() ? Delivery.RELIABLE : Delivery.UNRELIABLE;
      Attributes attributes =
          Attributes.DEFAULT.withDelivery(delivery).withMaximumMessageBytes(50_000);
      try (Intruder intruder = new Intruder(attributes)) {
        for (int use = 0; intruder.victim.state() == InterfaceState.CONNECTED; use++) {
          int length = random.nextInt(1 << random.nextInt(1, 16));
          boolean proper = random.nextInt(10) > 0 && use < 1_000;
          intruder.slot(use, proper ? length : random.nextInt(), 0x101, use + 1);
          for (int part = 1; proper && part * Ring.PART_BYTES < length; part++) {
            use++;
            intruder.slot(use, 0, Ring.CONTINUED, use + 1);
          }
          if (queue.poll() != null && intruder.victim.state() == InterfaceState.CONNECTED) {
            intruder.victim.postReceive(intruder.memory).orThrow();
          }
        }
      }
    }
  }

  @Test
  void cannotBeMadeToConnectToAnotherHost() {
    assertThrows(
        NetException.class,
        () -> fabric.connect("192.0.2.1:7000", 7, queue, Attributes.DEFAULT, PATIENCE).get());
  }
}
