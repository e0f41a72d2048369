package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.testing.raw.LongCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Messages that shm leaves where they lie: in the ring, or in memory that their sender has lent.
/// What every provider does with such receives is in [MessageContract].
@EnabledOnOs(OS.LINUX)
class ShmInPlaceTest extends FabricContract {
  private static final int PART = 8192;
  private static final int LONG = 100_000;

  ShmInPlaceTest() {
    super(ShmTest.SHARED);
  }

  private static byte[] pattern(int seed, int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) (i * 13 + seed);
    }
    return content;
  }

  /// A message from memory that is not shared with the peer.
  private Ticket own(byte[] content) {
    Bytes bytes = dev.tigris.memory.Jbuf.allocate(content.length + 1, "test").asBytes();
    bytes.copyFrom(0, content, 0, content.length);
    return left.range(left.call(() -> left.link().register(bytes)), 0, content.length);
  }

  private Ticket inPlace(int bytes) {
    Ticket memory = right.memory(bytes);
    right.run(() -> memory.inPlace(true));
    return memory;
  }

  private Ticket receive(int bytes) {
    return expect(right, right.receive(inPlace(bytes)), Status.DONE);
  }

  private static byte[] content(Descriptor received) {
    return received
        .memory()
        .asSlice(received.memoryOffset(), received.transferredBytes())
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private boolean giveBack(Descriptor received) {
    return right.call(received::giveBack);
  }

  @ParameterizedTest
  @CsvSource({
    "false, 0, true", "false, 1, true", "false, 112, true", "false, 113, true",
    "false, 4096, true", "false, 8192, true", "false, 8193, false", "false, 100000, false",
    "true, 0, true", "true, 112, true", "true, 4095, true", "true, 4096, true",
    "true, 8193, true", "true, 100000, true"
  })
  void leavesWhatLiesInOnePlace(boolean shared, int bytes, boolean left) {
    connect();
    byte[] content = pattern(bytes, bytes);
    Ticket message = shared ? this.left.memory(content) : own(content);
    this.left.send(message);
    Ticket received = receive(Math.max(1, bytes));
    assertEquals(left, received.isInPlace());
    assertArrayEquals(content, content(received));
    assertEquals(left, received.memory().isReadOnly());
    assertTrue(giveBack(received));
    assertFalse(received.isInPlace());
    assertTrue(giveBack(received), "again");
    right.run(right.link()::ring);
    expect(this.left, message, Status.DONE);
  }

  @Test
  void leavesOnlyWhatIsAskedFor() {
    connect();
    left.send(left.memory(pattern(1, LONG)));
    Ticket received = expect(right, right.receive(right.memory(LONG)), Status.DONE);
    assertFalse(received.isInPlace());
    assertArrayEquals(pattern(1, LONG), content(received));
    assertFalse(received.memory().isReadOnly());
  }

  @Test
  void letsNobodyWriteToThePlace() {
    connect();
    for (int bytes : new int[] {10, 1000, LONG}) {
      left.send(left.memory(pattern(1, bytes)));
      Ticket received = receive(bytes);
      assertThrows(
          IllegalArgumentException.class,
          () -> received.memory().set(ValueLayout.JAVA_BYTE, received.memoryOffset(), (byte) 1));
    }
  }

  @Test
  void completesALentSendWhenItIsGivenBack() {
    connect();
    Ticket message = left.send(left.memory(pattern(1, LONG)));
    Ticket received = receive(LONG);
    left.expectNothing();
    giveBack(received);
    right.run(right.link()::ring);
    expect(left, message, Status.DONE);
  }

  @Test
  void lentMemoryIsReadAfterItsMessageWasGivenBack() {
    connect();
    Ticket message = left.send(left.memory(pattern(1, LONG)));
    Ticket received = receive(LONG);
    MemorySegment place = received.memory();
    long at = received.memoryOffset();
    giveBack(received);
    right.run(right.link()::ring);
    expect(left, message, Status.DONE);
    message.memory().set(ValueLayout.JAVA_BYTE, message.memoryOffset(), (byte) 99);
    assertEquals(99, place.get(ValueLayout.JAVA_BYTE, at));
    right.run(right.link()::close);
    assertThrows(IllegalStateException.class, () -> place.get(ValueLayout.JAVA_BYTE, at));
  }

  @Test
  void givesBackWhatIsPostedAgainOrDeregistered() {
    connect();
    Ticket first = left.send(left.memory(pattern(1, LONG)));
    Ticket received = receive(LONG);
    right.receive(received);
    expect(left, first, Status.DONE);
    Ticket second = left.send(left.memory(pattern(2, LONG)));
    expect(right, received, Status.DONE);
    left.expectNothing();
    right.run(() -> right.link().deregister(received));
    right.run(right.link()::ring);
    expect(left, second, Status.DONE);
  }

  /// While the first one is kept, its sender has to wait in the end: for room in the ring, or for
  /// room in its own queue.
  @ParameterizedTest
  @ValueSource(ints = {10, 1000, PART, LONG})
  void givesBackInAnyOrder(int bytes) {
    connect();
    List<Ticket> kept = new ArrayList<>();
    Ticket memory = null;
    int messages = 0;
    while (left.call(() -> drain(left)) < left.link().attributes().sendDepth()) {
      byte[] content = pattern(messages, bytes);
      Ticket message = bytes > PART ? left.memory(content) : own(content);
      left.send(left.tag(message, messages));
      memory = right.receive(inPlace(bytes));
      if (bytes <= PART && left.call(() -> drain(left)) > 0) {
        break; // it found no room: what comes after the first one is kept with it
      }
      assertEquals(messages++, expect(right, memory, Status.DONE).tag());
      kept.add(memory);
      if (kept.size() == 4) {
        Ticket back = kept.remove(1 + messages % 2);
        assertArrayEquals(pattern(back.tag(), bytes), content(back));
        assertTrue(giveBack(back));
      }
    }
    assertTrue(messages > 20 && messages < 128, messages + " messages");
    for (Ticket each : kept) {
      assertArrayEquals(pattern(each.tag(), bytes), content(each));
      assertTrue(giveBack(each));
    }
    right.run(right.link()::ring);
    if (bytes <= PART) {
      left.next(); // there is room now
      assertEquals(messages, expect(right, memory, Status.DONE).tag());
      assertArrayEquals(pattern(messages, bytes), content(memory));
    }
    while (left.call(left.link()::outstanding) > 0) {
      left.next();
    }
    right.run(right.link()::checkInvariants);
  }

  /// Takes what is complete; returns how many sends are not.
  private static int drain(Side side) {
    while (side.queue().poll() != null) {
      // sent
    }
    return side.link().outstanding();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1000})
  void keepsAMessageWhoseSenderHasClosedInOrder(int bytes) {
    connect();
    Ticket memory = right.receive(inPlace(bytes));
    Ticket message = left.send(left.memory(pattern(3, bytes)));
    expect(left, message, Status.DONE);
    left.run(left.link()::close);
    right.untilEnded();
    assertEquals(InterfaceState.ENDED, right.link().state());
    assertTrue(memory.isInPlace());
    assertArrayEquals(pattern(3, bytes), content(memory));
    assertTrue(giveBack(memory));
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, LONG})
  void saysWhetherWhatWasReadMayHaveBeenChanged(int bytes) {
    connect();
    Ticket message = left.send(left.memory(pattern(3, bytes)));
    Bytes memory = Side.bytes(message);
    Ticket received = receive(bytes);
    left.run(left.link()::abort);
    memory.copyFrom(0, pattern(4, bytes), 0, bytes);
    right.untilEnded();
    assertEquals(InterfaceState.BROKEN, right.link().state());
    byte[] content = content(received); // it can be read, whatever it is
    boolean inRing = bytes < PART;
    assertEquals(inRing, giveBack(received));
    if (inRing) {
      assertArrayEquals(pattern(3, bytes), content);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, LONG})
  void endsWithTheInterface(int bytes) {
    connect();
    left.send(left.memory(pattern(3, bytes)));
    Ticket received = receive(bytes);
    MemorySegment place = received.memory();
    right.run(right.link()::close);
    assertThrows(
        IllegalStateException.class,
        () -> place.get(ValueLayout.JAVA_BYTE, received.memoryOffset()));
    assertFalse(giveBack(received));
  }

  /// What a system call reads cannot be unmapped, and is not given to another connection.
  @Test
  void staysWhatItIsWhileACallReadsItThoughTheInterfaceCloses() throws Exception {
    connect();
    byte[] content = pattern(3, 1000);
    left.send(own(content));
    Ticket received = receive(content.length);
    MemorySegment place = received.memory().asSlice(received.memoryOffset(), content.length);
    try (LongCall _ = new LongCall(place)) {
      right.run(right.link()::close);
      left.untilEnded();
      connect(); // which would have got its memory
      left.send(own(pattern(4, content.length)));
      assertArrayEquals(pattern(4, content.length), content(receive(content.length)));
      assertArrayEquals(content, place.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Test
  void belongsToTheThreadOfTheQueue() {
    connect();
    left.send(left.memory(pattern(3, LONG)));
    Ticket received = receive(LONG);
    assertThrows(WrongThreadException.class, received::giveBack);
    assertThrows(WrongThreadException.class, () -> received.inPlace(false));
  }
}
