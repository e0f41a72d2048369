package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Counters;
import dev.tigris.net.Delivery;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// That faults are what was asked for, and no other. `-Dtigris.test.messages=10000000` lengthens
/// the test under loss.
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class FaultsTest {
  private static final int MESSAGES = Integer.getInteger("tigris.test.messages", 1_000_000);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// What arrived at one end of what was sent at the other.
  private record Outcome(List<Integer> tags, int corrupt, Counters sent, Counters received) {}

  /// Sends numbered messages of random sizes with a checksum, the number being the tag, and closes
  /// in order.
  private static Outcome run(Faults faults, Attributes attributes, int messages) {
    try (Fabric fabric = FaultyFabric.open("tcp", faults);
        Listener listener = fabric.listen("127.0.0.1:0")) {
      Side from = new Side(fabric);
      Side to = new Side(fabric);
      Future<Connection> asked =
          from.start(
              () -> fabric.connect(listener.address(), 5, from.queue(), attributes, PATIENCE));
      ConnectionRequest request = listener.next(PATIENCE);
      to.link(to.call(() -> request.accept(to.queue(), attributes)));
      from.link(FabricContract.get(asked).get());
      Future<Counters> sending = from.start(() -> send(from, faults.seed(), messages));
      Future<Outcome> receiving = to.start(() -> receive(to));
      Outcome received = FabricContract.get(receiving);
      Counters sent = FabricContract.get(sending);
      Future<?> first = from.startClosing();
      FabricContract.get(to.startClosing());
      FabricContract.get(first);
      return new Outcome(received.tags, received.corrupt, sent, received.received);
    }
  }

  private static int checksum(Bytes bytes, long length, int tag) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.byteBuffer().limit((int) length).position(4));
    return (int) crc.getValue() ^ tag;
  }

  private static Counters send(Side side, long seed, int messages) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<Ticket> free = new ArrayDeque<>();
    for (int i = 0; i < 32; i++) {
      free.add(side.link().register(Jbuf.allocate(20_000, "test").asBytes()));
    }
    for (int i = 0; i < messages && side.link().state() == InterfaceState.CONNECTED; i++) {
      while (free.isEmpty()) {
        free.add((Ticket) side.queue().await(Side.LONG_NANOS));
      }
      Ticket next = free.remove();
      int length = 4 + random.nextInt(random.nextInt(20) == 0 ? 19_996 : 600);
      Bytes bytes = Side.bytes(next);
      for (int at = 4; at < length; at += 32) {
        bytes.set(at, (byte) random.nextInt());
      }
      bytes.setInt(0, checksum(bytes, length, i));
      if (side.link().postSend(next.range(0, length).tag(i)) != Posting.POSTED) {
        break;
      }
      if (i % 8 == 7) {
        side.link().ring();
      }
    }
    while (side.link().outstanding() > 0) {
      assertTrue(side.queue().await(Side.LONG_NANOS) != null);
    }
    Counters counters = side.link().counters();
    side.link().close();
    return counters;
  }

  private static Outcome receive(Side side) {
    for (int i = 0; i < 32; i++) {
      Ticket memory = side.link().register(Jbuf.allocate(20_000, "test").asBytes());
      side.link().postReceive(memory).orThrow();
    }
    List<Integer> tags = new ArrayList<>();
    int corrupt = 0;
    while (side.link().outstanding() > 0) {
      Ticket next = (Ticket) side.queue().await(Side.LONG_NANOS);
      assertTrue(next != null, "nothing arrives any more");
      if (next.status() == Status.DONE) {
        Bytes bytes = Side.bytes(next);
        boolean intact = bytes.getInt(0) == checksum(bytes, next.transferredBytes(), next.tag());
        corrupt += intact ? 0 : 1;
        tags.add(next.tag());
        if (side.link().state() == InterfaceState.CONNECTED) {
          side.link().postReceive(next).orThrow();
        }
      } else {
        assertEquals(Status.FLUSHED, next.status());
      }
    }
    return new Outcome(tags, corrupt, side.link().counters(), side.link().counters());
  }

  private static final Attributes UNRELIABLE = Attributes.DEFAULT.withDelivery(Delivery.UNRELIABLE);

  @Test
  void wrapsAProviderUnderANameOfItsOwn() {
    try (Fabric faulty = FaultyFabric.open("tcp", Faults.NONE)) {
      assertEquals("faulty tcp", faulty.provider());
    }
    assertFalse(Fabric.candidates("127.0.0.1").stream().anyMatch(c -> c.name().contains("faulty")));
  }

  @Test
  void whatArrivesUnderLossInTheUnreliableModeIsIntact() {
    Faults faults =
        Faults.NONE
            .withSeed(System.nanoTime())
            .withLoss(0.05)
            .withDuplication(0.02)
            .withReordering(0.02)
            .withDelay(0.01, Duration.ofMillis(2));
    Outcome outcome = run(faults, UNRELIABLE, MESSAGES);
    String context = faults + ": " + outcome.received;
    assertEquals(0, outcome.corrupt, context);
    assertEquals(MESSAGES, outcome.sent.messagesSent(), context);
    assertEquals(outcome.tags.size(), outcome.received.messagesReceived(), context);
    long arrived = outcome.received.messagesReceived() + outcome.received.dropped();
    assertEquals(0.97 * MESSAGES, (double) arrived, 0.01 * MESSAGES, context);
    assertTrue(outcome.tags.size() > MESSAGES / 100, context);
  }

  @Test
  void losesAsManyAsWasAsked() {
    Outcome outcome = run(Faults.NONE.withLoss(0.25), Attributes.DEFAULT, 4_000);
    assertEquals(3_000, outcome.tags.size(), 150);
    for (int i = 1; i < outcome.tags.size(); i++) {
      assertTrue(outcome.tags.get(i - 1) < outcome.tags.get(i));
    }
    assertEquals(0, outcome.corrupt);
    assertEquals(4_000, outcome.sent.messagesSent());
  }

  @Test
  void repeatsTheSameFaultsForTheSameSeed() {
    Faults faults = Faults.NONE.withLoss(0.2).withDuplication(0.2);
    List<Integer> first = run(faults, Attributes.DEFAULT, 1_000).tags;
    assertEquals(first, run(faults, Attributes.DEFAULT, 1_000).tags);
    assertNotEquals(first, run(faults.withSeed(2), Attributes.DEFAULT, 1_000).tags);
  }

  @Test
  void duplicatesAndLosesNothingElse() {
    Outcome outcome = run(Faults.NONE.withDuplication(0.25), Attributes.DEFAULT, 4_000);
    assertEquals(5_000, outcome.tags.size(), 150);
    assertEquals(4_000, outcome.tags.stream().distinct().count());
    assertEquals(0, outcome.corrupt);
  }

  @Test
  void corruptsAndTellsNobody() {
    Outcome outcome = run(Faults.NONE.withCorruption(0.25), Attributes.DEFAULT, 4_000);
    assertEquals(4_000, outcome.tags.size());
    assertEquals(1_000, outcome.corrupt, 150);
  }

  @Test
  void letsMessagesOvertakeOthersAndLosesNone() {
    for (Faults faults :
        List.of(
            Faults.NONE.withReordering(0.1), Faults.NONE.withDelay(0.1, Duration.ofMillis(3)))) {
      Outcome outcome = run(faults, Attributes.DEFAULT, 2_000);
      assertEquals(2_000, outcome.tags.stream().distinct().count());
      assertEquals(2_000, outcome.tags.size());
      assertEquals(0, outcome.corrupt);
      assertNotEquals(outcome.tags.stream().sorted().toList(), outcome.tags);
    }
  }

  @Test
  void cutsAConnection() {
    Outcome outcome = run(Faults.NONE.withCut(0.01), Attributes.DEFAULT, 4_000);
    assertTrue(outcome.tags.size() < 4_000);
    assertEquals(0, outcome.corrupt);
  }

  @Test
  void takesDelaysThatAreLongerThanTheAges() {
    Faults faults = Faults.NONE.withDelay(1, Duration.ofSeconds(Long.MAX_VALUE));
    assertEquals(Duration.ofNanos(Long.MAX_VALUE), faults.longestDelay());
  }

  @Test
  void refusesProbabilitiesThatAreNone() {
    assertThrows(IllegalArgumentException.class, () -> Faults.NONE.withLoss(-0.1));
    assertThrows(IllegalArgumentException.class, () -> Faults.NONE.withLoss(1.1));
    assertThrows(IllegalArgumentException.class, () -> Faults.NONE.withLoss(Double.NaN));
    assertThrows(
        IllegalArgumentException.class, () -> Faults.NONE.withLoss(0.6).withCorruption(0.6));
  }
}
