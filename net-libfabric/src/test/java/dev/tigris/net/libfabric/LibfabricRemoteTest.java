package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.Counters;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.RemoteAccess;
import dev.tigris.net.RemoteMemory;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.testing.FabricContract;
import dev.tigris.net.testing.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Access to memory of the peer, over libfabric's provider `tcp`.
@EnabledIf(
    value = "dev.tigris.net.libfabric.LibfabricTest#isInstalled",
    disabledReason = "libfabric is missing: apt install libfabric1")
class LibfabricRemoteTest extends FabricContract {
  LibfabricRemoteTest() {
    super(LibfabricTest.LIBFABRIC);
  }

  private static RemoteAccess access(Side side) {
    return side.link().remoteAccess().orElseThrow();
  }

  private static RemoteMemory expose(Side side, Ticket ticket, boolean writable) {
    RemoteMemory memory = side.call(() -> access(side).expose(ticket, writable));
    return RemoteMemory.from(memory.toBytes());
  }

  /// Lets a side take completions until one comes, while another does what it is told.
  private static Descriptor next(Side side, Side moving) {
    Future<Descriptor> next = side.start(() -> side.queue().await(Side.LONG_NANOS));
    while (!next.isDone()) {
      assertTrue(moving.call(() -> moving.queue().await(1_000_000)) == null);
    }
    return get(next);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 5_000, 3_000_000})
  void readsAndWritesMemoryThatThePeerExposes(int bytes) {
    connect();
    byte[] content = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(content);
    Ticket there = right.memory(bytes + 20L);
    RemoteMemory memory = expose(right, right.range(there, 10, bytes + 5L), true);
    Ticket from = left.memory(content);
    left.run(() -> access(left).postWrite(from, memory, 5).orThrow());
    assertEquals(from, next(left, right));
    assertEquals(Status.DONE, from.status());

    Ticket into = left.memory(bytes);
    left.run(() -> access(left).postRead(into, memory, 5).orThrow());
    assertEquals(into, next(left, right));
    assertEquals(Status.DONE, into.status());
    assertEquals(bytes, into.transferredBytes());
    assertArrayEquals(content, Side.content(into));

    byte[] all = new byte[bytes + 20];
    Side.bytes(there).copyTo(0, all, 0, all.length);
    byte[] expected = new byte[bytes + 20];
    System.arraycopy(content, 0, expected, 15, bytes);
    assertArrayEquals(expected, all);
    Counters counters = left.call(left.link()::counters);
    assertEquals(0, counters.messagesSent());
  }

  /// The network looks at the key alone, whoever comes with it: memory for one peer, and each long
  /// message, is safe from another as long as that cannot compute keys from those that it got.
  @Test
  void doesNotDrawKeysOfWhichOneTellsTheNext() {
    connect();
    RemoteMemory first = expose(right, right.memory(100), false);
    RemoteMemory second = expose(right, right.memory(100), false);
    SplittableRandom random = new SplittableRandom(1);
    assertEquals(random.nextLong(), afterWhich(new SplittableRandom(1).nextLong(), 0));
    long drawn = new SplittableRandom(1).nextLong();
    assertEquals(random.nextLong(), afterWhich(drawn, 1));
    assertNotEquals(second.key(), afterWhich(first.key(), 1));
  }

  /// What a [SplittableRandom] draws so many times after this number.
  private static long afterWhich(long number, int times) {
    long state = unshift(number, 31) * 0x319642b2d24d8ec3L;
    state = unshift(state, 27) * 0x96de1b173f119089L;
    state = unshift(state, 30) + times * 0x9e3779b97f4a7c15L;
    state = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
    state = (state ^ (state >>> 27)) * 0x94d049bb133111ebL;
    return state ^ (state >>> 31);
  }

  private static long unshift(long number, int bits) {
    return number ^ (number >>> bits) ^ (number >>> (2 * bits));
  }

  @Test
  void scattersAReadOverSeveralRanges() {
    connect();
    byte[] content = new byte[1_000];
    new SplittableRandom(1).nextBytes(content);
    RemoteMemory memory = expose(right, right.memory(content), false);
    Ticket first = left.memory(300);
    Ticket second = left.memory(500);
    Descriptor both = Descriptor.of(first, second);
    left.run(() -> access(left).postRead(both, memory, 100).orThrow());
    assertEquals(both, next(left, right));
    byte[] read = new byte[800];
    Side.bytes(first).copyTo(0, read, 0, 300);
    Side.bytes(second).copyTo(0, read, 300, 500);
    assertArrayEquals(java.util.Arrays.copyOfRange(content, 100, 900), read);
  }

  @Test
  void hasWrittenBeforeAMessageThatIsPostedAfterwards() {
    connect();
    Ticket there = right.memory(2_000_000);
    RemoteMemory memory = expose(right, there, true);
    Ticket flag = right.receive(right.memory(10));
    byte[] content = new byte[2_000_000];
    java.util.Arrays.fill(content, (byte) 7);
    Ticket from = left.memory(content);
    Ticket message = left.memory(text("written"));
    Future<Descriptor> both =
        left.start(
            () -> {
              access(left).postWrite(from, memory, 0).orThrow();
              left.link().postSend(message).orThrow();
              assertEquals(from, left.queue().await(Side.LONG_NANOS));
              return left.queue().await(Side.LONG_NANOS);
            });
    expect(right, flag, Status.DONE);
    assertEquals(7, Side.bytes(there).get(1_999_999));
    assertEquals(message, get(both));
  }

  @Test
  void refusesWhatIsOutsideOfTheMemory() {
    connect();
    RemoteMemory memory = expose(right, right.memory(100), true);
    Ticket ticket = left.memory(50);
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> left.run(() -> access(left).postRead(ticket, memory, 51).orThrow()));
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> left.run(() -> access(left).postWrite(ticket, memory, -1).orThrow()));
    assertEquals(Status.IDLE, ticket.status());
    Ticket empty = left.memory(1);
    assertThrows(IllegalArgumentException.class, () -> expose(left, left.range(empty, 0, 0), true));
  }

  @Test
  void refusesMemoryOfFiles(@TempDir Path folder) throws IOException {
    connect();
    Path file = Files.write(folder.resolve("file"), new byte[100]);
    Bytes mapped = Jbuf.map(file, Mapping.SHARED).asBytes();
    RemoteMemory memory = expose(right, right.memory(100), true);
    Ticket ticket = left.call(() -> left.link().register(mapped));
    assertThrows(IllegalArgumentException.class, () -> expose(left, ticket, false));
    assertThrows(
        IllegalArgumentException.class,
        () -> left.run(() -> access(left).postRead(ticket, memory, 0).orThrow()));
    assertThrows(
        IllegalArgumentException.class,
        () -> left.run(() -> access(left).postWrite(ticket, memory, 0).orThrow()));
    left.run(() -> left.link().deregister(ticket));
  }

  @ParameterizedTest
  @ValueSource(strings = {"write what may be read", "read with another key", "read too much"})
  void breaksOverAnAccessThatThePeerHasNotAllowed(String what) {
    connect();
    Ticket there = right.memory(new byte[100]);
    RemoteMemory memory = expose(right, right.range(there, 0, 50), what.equals("read too much"));
    Ticket ticket = left.memory(new byte[] {1, 2, 3});
    switch (what) {
      case "write what may be read" ->
          left.run(() -> access(left).postWrite(ticket, memory, 0).orThrow());
      case "read with another key" -> {
        RemoteMemory wrong = new RemoteMemory(memory.address(), memory.key() + 1, 50);
        left.run(() -> access(left).postRead(ticket, wrong, 0).orThrow());
      }
      default -> {
        RemoteMemory wrong = new RemoteMemory(memory.address(), memory.key(), 100);
        left.run(() -> access(left).postRead(ticket, wrong, 48).orThrow());
      }
    }
    left.run(left.link()::ring);
    expectBroken(right);
    expectBroken(left);
    assertEquals(0, Side.bytes(there).get(0));
  }

  @Test
  void holdsATicketThatIsExposedUntilItCloses() {
    connect();
    Ticket ticket = right.memory(100);
    expose(right, ticket, true);
    IllegalStateException refusal =
        assertThrows(
            IllegalStateException.class, () -> right.run(() -> right.link().deregister(ticket)));
    assertTrue(refusal.getMessage().contains("close the interface"), refusal.getMessage());
    right.run(right.link()::close);
    right.run(() -> right.link().deregister(ticket));
    assertThrows(IllegalStateException.class, () -> expose(right, ticket, true));
  }

  @Test
  void isMissingWhereTheNetworkHasNoSuchThing() {
    try (Fabric tcp = Fabric.open("tcp");
        Listener listener = tcp.listen("127.0.0.1:0")) {
      Side side = new Side(tcp);
      Future<Connection> asked =
          side.start(
              () ->
                  tcp.connect(listener.address(), TAG, side.queue(), Attributes.DEFAULT, PATIENCE));
      Side other = new Side(tcp);
      other.link(
          other.call(() -> listener.next(PATIENCE).accept(other.queue(), Attributes.DEFAULT)));
      assertTrue(get(asked).get().remoteAccess().isEmpty());
      Future<?> closing = side.startClosing();
      get(other.startClosing());
      get(closing);
    }
  }
}
