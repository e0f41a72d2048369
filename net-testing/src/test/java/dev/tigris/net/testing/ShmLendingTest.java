package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.tigris.memory.Bytes;
import dev.tigris.net.Attributes;
import dev.tigris.net.Delivery;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Messages that shm sends from shared buffers, which the receiver copies straight out of them.
@EnabledOnOs(OS.LINUX)
class ShmLendingTest extends FabricContract {
  private static final int BYTES = 100_000;

  ShmLendingTest() {
    super(ShmTest.SHARED);
  }

  /// How often files in memory of shared buffers are mapped, for reading.
  private static long borrowed() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("tigris-shared") && line.contains(" r--s "))
        .count();
  }

  private static byte[] pattern(int seed) {
    byte[] content = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      content[i] = (byte) (i * 13 + seed);
    }
    return content;
  }

  @Test
  void isReadInPlaceUntilItIsDeregistered() throws IOException {
    connect();
    long before = borrowed();
    Ticket message = left.memory(pattern(1));
    left.send(message);
    left.expectNothing(); // it is complete when the receiver has copied it
    expectArrived(1);
    expect(left, message, Status.DONE);
    assertEquals(before + 1, borrowed());
    left.run(() -> left.link().deregister(message));
    right.expectNothing();
    assertEquals(before, borrowed());
  }

  private void expectArrived(int seed) {
    Ticket memory = right.receive(right.memory(BYTES));
    expect(right, memory, Status.DONE);
    expectContent(pattern(seed), memory);
    right.run(() -> right.link().deregister(memory));
  }

  @Test
  void keepsTheOrderOfLentAndCopiedMessages() {
    connect();
    List<Ticket> messages = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Ticket message = left.memory(pattern(i));
      messages.add(left.range(message, 0, i % 2 == 0 ? BYTES : 10));
      left.send(left.tag(message, i));
    }
    for (int i = 0; i < 20; i++) {
      Ticket memory = right.receive(right.memory(BYTES));
      expect(right, memory, Status.DONE);
      assertEquals(i, memory.tag());
      assertEquals(i % 2 == 0 ? BYTES : 10, memory.transferredBytes());
      right.run(() -> right.link().deregister(memory));
    }
    for (Ticket message : messages) {
      expect(left, message, Status.DONE);
    }
  }

  @Test
  void copiesWhatIsMoreThanMayBeLent() throws IOException {
    connect();
    long before = borrowed();
    for (int i = 0; i < 70; i++) {
      left.send(left.memory(pattern(i)));
      expectArrived(i);
      left.next();
    }
    assertEquals(before + 64, borrowed());
  }

  @Test
  void dropsAndCountsWhatFindsNoReceiveInUnreliableMode() {
    connect(Attributes.DEFAULT.withDelivery(Delivery.UNRELIABLE));
    Ticket message = left.send(left.memory(pattern(1)));
    right.run(
        () -> {
          while (right.link().counters().dropped() == 0) {
            assertNull(right.queue().await(Side.SHORT_NANOS));
          }
        });
    expect(left, message, Status.DONE);
    left.send(left.memory(pattern(2)));
    expectArrived(2);
  }

  @Test
  void refusesAMessageLongerThanThePostedMemory() {
    connect();
    Ticket small = right.receive(right.memory(BYTES - 1));
    Ticket message = left.send(left.memory(pattern(1)));
    left.send(left.memory(pattern(2)));
    expect(right, small, Status.TOO_LONG);
    expectArrived(2);
    expect(left, message, Status.DONE);
  }

  @Test
  void completesASendBeforeWhatAnswersIt() {
    connect();
    for (int round = 0; round < 200; round++) {
      Ticket message = left.memory(BYTES);
      Ticket answer = left.receive(left.memory(1));
      left.send(message);
      Ticket memory = right.receive(right.memory(BYTES));
      assertSame(memory, right.next());
      right.send(right.memory((byte) 1));
      right.next();
      assertSame(message, left.next());
      assertSame(answer, left.next());
      left.run(() -> left.link().deregister(message));
      right.run(() -> right.link().deregister(memory));
    }
  }

  @Test
  void neverDeliversWhatWasChangedAfterAnAbort() {
    for (int round = 0; round < 20; round++) {
      connect();
      Ticket message = left.memory(pattern(round));
      Bytes content = Side.bytes(message);
      left.send(message);
      right.expectNothing();
      left.run(left.link()::abort);
      expect(left, message, Status.FLUSHED);
      content.copyFrom(0, pattern(round + 1), 0, BYTES);
      expect(right, right.receive(right.memory(BYTES)), Status.FLUSHED);
      assertEquals(InterfaceState.BROKEN, right.link().state());
    }
  }

  @Test
  void keepsWhatIsLentReadableAfterItsOwnerHasFreedIt() throws Exception {
    connect();
    long before = borrowed();
    lendAndAbort();
    for (int round = 0; round < 3; round++) {
      System.gc();
      right.expectNothing();
    }
    assertEquals(before + 1, borrowed());
    expect(right, right.receive(right.memory(BYTES)), Status.FLUSHED);
    assertEquals(before, borrowed());
  }

  private void lendAndAbort() {
    left.send(left.memory(pattern(3)));
    left.run(left.link()::abort);
    left.next();
  }
}
