// Over 400 lines: one contract, and every provider passes all of it.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Ints;
import dev.tigris.memory.Longs;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.Counters;
import dev.tigris.net.DataType;
import dev.tigris.net.Delivery;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract for messages.
public abstract class MessageContract extends FabricContract {
  /// The longest message that `tcp` copies to send it.
  private static final int MOST_COPIED = 32 * 1024;

  /// Runs on this provider.
  protected MessageContract(Subject subject) {
    super(subject);
  }

  @Test
  void carriesAMessageWithItsTagItsTypeAndItsLength() {
    connect();
    Ticket memory = right.receive(right.memory(100));
    Ticket message = left.send(left.tag(left.memory(text("hello")), -7));
    expect(left, message, Status.DONE);
    expect(right, memory, Status.DONE);
    expectContent(text("hello"), memory);
    assertEquals(-7, memory.tag());
    assertEquals(DataType.BYTES, memory.type());
    assertTrue(message.isSend());
    assertEquals(5, message.transferredBytes());
    Counters sent = left.call(left.link()::counters);
    Counters received = right.call(right.link()::counters);
    assertEquals(1, sent.messagesSent());
    assertEquals(5, sent.bytesSent());
    assertEquals(1, received.messagesReceived());
    assertEquals(5, received.bytesReceived());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        15,
        16,
        17,
        4095,
        4096,
        16384,
        16385,
        32751,
        32752,
        32753,
        32767,
        32768,
        32769,
        65536,
        100_000,
        20_000_000
      })
  void carriesMessagesOfEverySizeBothWays(int bytes) {
    connect();
    byte[] content = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(content);
    for (int round = 0; round < 3; round++) {
      exchange(left, right, content);
      exchange(right, left, content);
    }
  }

  private static void exchange(Side from, Side to, byte[] content) {
    Ticket memory = to.memory(Math.max(1, content.length));
    Ticket message = from.memory(content);
    to.receive(memory);
    Future<Descriptor> sent =
        from.start(
            () -> {
              from.link().postSend(message).orThrow();
              return from.queue().await(Side.LONG_NANOS);
            });
    expect(to, memory, Status.DONE);
    assertSame(message, get(sent));
    expectContent(content, memory);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void keepsOrderAndBoundariesWithManyUnderWay(int seed) {
    connect();
    int messages = 2_000;
    Future<String> sending = left.start(() -> sendRandomly(left, seed, messages));
    Future<String> receiving = right.start(() -> receiveAndCheck(right, seed, messages));
    assertEquals("done", get(receiving));
    assertEquals("done", get(sending));
  }

  private static long sizeOf(SplittableRandom random) {
    return switch (random.nextInt(20)) {
      case 0 -> random.nextInt(200_000);
      case 1 -> 0;
      case 2, 3 -> 16_000 + random.nextInt(20_000); // many alike, and what is short behind them
      default -> random.nextInt(3_000);
    };
  }

  private static String sendRandomly(Side side, int seed, int messages) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<Ticket> free = new ArrayDeque<>();
    for (int i = 0; i < 32; i++) {
      free.add(side.link().register(side.allocate(200_000, "test").asBytes()));
    }
    for (int i = 0; i < messages; i++) {
      while (free.isEmpty()) {
        Descriptor sent = side.queue().await(Side.LONG_NANOS);
        assertEquals(Status.DONE, sent.status());
        free.add((Ticket) sent);
      }
      Ticket next = free.remove();
      long size = sizeOf(random);
      next.range(random.nextLong(200_000 - size), size).tag(i);
      for (long at = 0; at < size; at += 97) {
        Side.bytes(next).set(next.offset() + at, (byte) (at + i));
      }
      side.link().postSend(next).orThrow();
      if (random.nextInt(5) == 0) {
        side.link().ring();
      }
    }
    while (side.link().outstanding() > 0) {
      assertEquals(Status.DONE, side.queue().await(Side.LONG_NANOS).status());
    }
    return "done";
  }

  private static String receiveAndCheck(Side side, int seed, int messages) {
    SplittableRandom sizes = new SplittableRandom(seed);
    for (int i = 0; i < 16; i++) {
      Ticket memory = side.link().register(side.allocate(200_000, "test").asBytes());
      side.link().postReceive(memory).orThrow();
    }
    for (int i = 0; i < messages; i++) {
      Ticket next = (Ticket) side.queue().await(Side.LONG_NANOS);
      long size = sizeOf(sizes);
      sizes.nextLong(200_000 - size);
      sizes.nextInt(5);
      assertEquals(Status.DONE, next.status());
      assertEquals(i, next.tag());
      assertEquals(size, next.transferredBytes());
      for (long at = 0; at < size; at += 97) {
        assertEquals((byte) (at + i), Side.bytes(next).get(at));
      }
      side.link().postReceive(next).orThrow();
      side.link().checkInvariants();
    }
    return "done";
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 3_000, 60_000})
  void gathersAndScatters(int bytes) {
    connect();
    byte[] all = new byte[3 * bytes];
    new SplittableRandom(bytes).nextBytes(all);
    Ticket first = left.memory(all);
    Ticket again = left.call(() -> left.link().register(Side.bytes(first)));
    Ticket other = left.memory(all);
    Descriptor message =
        Descriptor.of(
            left.range(first, 0, bytes),
            left.range(again, bytes, bytes),
            left.range(other, 2L * bytes, bytes));
    Ticket[] parts = {right.memory(bytes / 2), right.memory(1), right.memory(4L * bytes)};
    Descriptor memory = Descriptor.of(parts);
    right.receive(memory);
    left.send(message);
    expect(left, message, Status.DONE);
    expect(right, memory, Status.DONE);
    assertEquals(3L * bytes, memory.transferredBytes());
    byte[] arrived = new byte[3 * bytes];
    Side.bytes(parts[0]).copyTo(0, arrived, 0, bytes / 2);
    Side.bytes(parts[1]).copyTo(0, arrived, bytes / 2, 1);
    Side.bytes(parts[2]).copyTo(0, arrived, bytes / 2 + 1, arrived.length - bytes / 2 - 1);
    assertArrayEquals(all, arrived);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 512, 4_097, 300_000})
  void carriesArraysOnTheHeapIfItTakesThem(int count) {
    connect();
    long[] all = new SplittableRandom(count).longs(count).toArray();
    if (!left.link().takesArrays()) {
      assertThrows(
          UnsupportedOperationException.class,
          () -> left.call(() -> left.link().register(ArrayType.LONGS, all)));
      return;
    }
    Ticket array = left.call(() -> left.link().register(ArrayType.LONGS, all));
    Descriptor message = Descriptor.of(left.memory(text("12345678")), array);
    long[] arrived = new long[count + 3];
    Ticket memory = right.call(() -> right.link().register(ArrayType.LONGS, arrived));
    for (int round = 0; round < 3; round++) {
      Future<Descriptor> sent =
          left.start(
              () -> {
                left.link().postSend(message).orThrow();
                return left.queue().await(Side.LONG_NANOS);
              });
      System.gc(); // a long message waits for its receive, half sent, and the arrays are moved
      right.receive(right.range(memory, 8, 8 * (count + 1L)));
      expect(right, memory, Status.DONE);
      assertSame(message, get(sent));
      assertEquals(8 * (count + 1L), memory.transferredBytes());
      assertEquals(0x3837363534333231L, arrived[1]);
      assertArrayEquals(all, Arrays.copyOfRange(arrived, 2, count + 2));
      assertEquals(0, arrived[0]);
      assertEquals(0, arrived[count + 2]);
      Arrays.fill(arrived, 0);
    }
    Ticket again = right.call(() -> right.link().register(ArrayType.LONGS, arrived));
    assertEquals(8L * arrived.length, right.call(right.link()::counters).registeredBytes());
    right.run(() -> right.link().deregister(memory));
    right.run(() -> right.link().deregister(again));
    assertEquals(0, right.call(right.link()::counters).registeredBytes());
  }

  /// Some providers leave some of them in place; the application cannot tell by what it reads.
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void bringsWhatItCannotLeaveInPlace(int seed) {
    connect();
    int messages = 1_000;
    Future<String> sending = left.start(() -> sendRandomly(left, seed, messages));
    Future<String> receiving = right.start(() -> receiveInPlace(right, seed, messages));
    assertEquals("done", get(receiving));
    assertEquals("done", get(sending));
  }

  /// Keeps up to eight messages, and gives them back in any order.
  private static String receiveInPlace(Side side, int seed, int messages) {
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom choice = new SplittableRandom(seed + 1);
    for (int i = 0; i < 16; i++) {
      Ticket memory = side.link().register(side.allocate(200_000, "test").asBytes());
      side.link().postReceive(memory.inPlace(true)).orThrow();
    }
    List<Descriptor> kept = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      long size = sizeOf(random);
      random.nextLong(200_000 - size);
      random.nextInt(5);
      Descriptor next = null;
      while (next == null && !kept.isEmpty()) { // what is kept may keep what comes next
        next = side.queue().await(Side.SHORT_NANOS);
        if (next == null) {
          checkAndPost(side, kept.removeFirst());
        }
      }
      if (next == null) {
        next = side.queue().await(Side.LONG_NANOS);
      }
      assertEquals(Status.DONE, next.status(), "seed " + seed);
      assertEquals(i, next.tag());
      assertEquals(size, next.transferredBytes());
      kept.add(next);
      while (kept.size() == 8 || (!kept.isEmpty() && choice.nextInt(3) == 0)) {
        checkAndPost(side, kept.remove(choice.nextInt(kept.size())));
      }
      side.link().checkInvariants();
    }
    for (Descriptor left : kept) {
      checkAndPost(side, left);
    }
    side.link().ring();
    return "done";
  }

  /// Who posts to many interfaces has the doorbells of some rung meanwhile, which may find out that
  /// others have ended.
  @Test
  void losesNothingThatIsPostedWhileAPeerAborts() {
    List<VirtualInterface> links = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      connect();
      links.add(left.link());
    }
    Ticket memory = left.memory(10);
    right.run(right.link()::abort);
    Posting posting =
        left.call(
            () -> {
              postShort(links.getFirst());
              links.getFirst().ring();
              links.subList(0, 7).forEach(this::postShort);
              return left.link().postReceive(memory);
            });
    left.untilEnded();
    Status expected = posting == Posting.POSTED ? Status.FLUSHED : Status.IDLE;
    assertEquals(expected, memory.status(), posting + ", and never completed");
  }

  private void postShort(VirtualInterface link) {
    Ticket message = link.register(subject.allocate(10, "test").asBytes());
    link.postSend(message).orThrow();
  }

  private static void checkAndPost(Side side, Descriptor received) {
    for (long at = 0; at < received.transferredBytes(); at += 97) {
      assertEquals(
          (byte) (at + received.tag()),
          received.memory().get(ValueLayout.JAVA_BYTE, received.memoryOffset() + at));
    }
    assertTrue(received.giveBack());
    side.link().postReceive(received).orThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 100_000})
  void letsAMessageWaitForAPostedReceive(int bytes) {
    connect();
    Ticket message = left.memory(new byte[bytes]);
    left.send(message);
    right.expectNothing();
    expect(right, right.receive(right.memory(bytes)), Status.DONE);
    expect(left, message, Status.DONE);
  }

  /// Who has rung may do something else for as long as it likes.
  @Test
  void deliversWhatADoorbellWasRungForWithoutAnotherCall() {
    connect();
    List<Ticket> messages = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      messages.add(left.tag(left.memory(text("message")), i));
    }
    left.run(
        () -> {
          for (Ticket message : messages) {
            left.link().postSend(message).orThrow();
            left.link().ring();
          }
        });
    for (int i = 0; i < 5; i++) {
      assertEquals(i, expect(right, right.receive(right.memory(10)), Status.DONE).tag());
    }
  }

  @Test
  void holdsASenderBackWhenNobodyReceives() {
    connect();
    long bytes = 8 << 20;
    List<Ticket> messages = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      messages.add(left.send(left.tag(left.memory(bytes), i)));
    }
    while (left.call(() -> left.queue().await(Side.SHORT_NANOS)) != null) {
      // as many as the network holds
    }
    assertEquals(Status.POSTED, messages.getLast().status());
    Ticket memory = right.memory(bytes);
    Future<String> sent =
        left.start(
            () -> {
              while (left.link().outstanding() > 0) {
                assertEquals(Status.DONE, left.queue().await(Side.LONG_NANOS).status());
              }
              return "done";
            });
    for (int i = 0; i < 16; i++) {
      expect(right, right.receive(memory), Status.DONE);
      assertEquals(i, memory.tag());
      assertEquals(bytes, memory.transferredBytes());
    }
    assertEquals("done", get(sent));
  }

  @Test
  void deliversInOrderWhatWasHeldBack() {
    connect();
    int sent = left.call(() -> sendUntilHeldBack(left));
    Future<String> rest =
        left.start(
            () -> {
              while (left.link().outstanding() > 0) {
                assertEquals(Status.DONE, left.queue().await(Side.LONG_NANOS).status());
                left.link().checkInvariants();
              }
              return "done";
            });
    right.run(() -> receiveInOrder(right, sent));
    assertEquals("done", get(rest));
  }

  /// Messages that most providers copy: as many as the network holds, and those that are posted
  /// then. Returns how many.
  private static int sendUntilHeldBack(Side side) {
    int sent = 0;
    for (int i = 0; i < side.link().attributes().sendDepth(); i++) {
      sendNumbered(side, side.link().register(side.allocate(MOST_COPIED, "test").asBytes()), sent);
      sent++;
    }
    for (Descriptor next = side.queue().await(Side.SHORT_NANOS);
        next != null;
        next = side.queue().await(Side.SHORT_NANOS)) {
      assertEquals(Status.DONE, next.status());
      sendNumbered(side, (Ticket) next, sent);
      sent++;
    }
    return sent;
  }

  private static int lengthOf(int number) {
    return new SplittableRandom(number).nextInt(MOST_COPIED + 1);
  }

  private static void sendNumbered(Side side, Ticket message, int number) {
    message.range(0, lengthOf(number)).tag(number);
    for (int at = 0; at < message.length(); at += 97) {
      Side.bytes(message).set(at, (byte) (number + at));
    }
    side.link().postSend(message).orThrow();
  }

  private static void receiveInOrder(Side side, int messages) {
    Ticket memory = side.link().register(side.allocate(MOST_COPIED, "test").asBytes());
    for (int number = 0; number < messages; number++) {
      side.link().postReceive(memory).orThrow();
      assertSame(memory, side.queue().await(Side.LONG_NANOS));
      assertEquals(Status.DONE, memory.status());
      assertEquals(number, memory.tag());
      assertEquals(lengthOf(number), memory.transferredBytes());
      for (int at = 0; at < memory.transferredBytes(); at += 97) {
        assertEquals((byte) (number + at), Side.bytes(memory).get(at));
      }
      side.link().checkInvariants();
    }
  }

  @Test
  void dropsAndCountsWhatFindsNoReceiveInUnreliableMode() {
    connect(Attributes.DEFAULT.withDelivery(Delivery.UNRELIABLE));
    for (int i = 0; i < 10; i++) {
      Ticket message = left.send(left.tag(left.memory(new byte[i * 1000]), i));
      expect(left, message, Status.DONE);
    }
    right.run(
        () -> {
          while (right.link().counters().dropped() < 10) {
            assertNull(right.queue().await(Side.SHORT_NANOS));
          }
        });
    Ticket memory = right.receive(right.memory(100));
    left.send(left.tag(left.memory(text("now")), 10));
    expect(right, memory, Status.DONE);
    assertEquals(10, memory.tag());
    Counters counters = right.call(right.link()::counters);
    assertEquals(10, counters.dropped());
    assertEquals(1, counters.messagesReceived());
  }

  @Test
  void refusesAMessageLongerThanThePostedMemory() {
    connect();
    for (int bytes : new int[] {11, 5_000, 100_000}) {
      Ticket small = right.receive(right.memory(10));
      Ticket next = right.receive(right.memory(10));
      expect(left, left.send(left.memory(new byte[bytes])), Status.DONE);
      left.send(left.memory(text("fits")));
      expect(right, small, Status.TOO_LONG);
      expect(right, next, Status.DONE);
      expectContent(text("fits"), next);
      left.next();
    }
    assertEquals(3, right.call(right.link()::counters).refused());
  }

  @Test
  void checksTypesOnRequest() {
    connect(Attributes.DEFAULT.withCheckTypes(true));
    Ints ints = subject.allocate(8, "test").asInts();
    ints.set(1, 4711);
    Longs longs = subject.allocate(8, "test").asLongs();
    Ints target = subject.allocate(8, "test").asInts();
    Ticket asLongs = right.receive(right.call(() -> right.link().register(longs)));
    Ticket asInts = right.receive(right.call(() -> right.link().register(target)));
    Ticket message = left.call(() -> left.link().register(ints));
    expect(left, left.send(message), Status.DONE);
    expect(right, asLongs, Status.OTHER_TYPE);
    assertEquals(DataType.INTS, asLongs.type());
    assertEquals(0, longs.get(0));
    expect(left, left.send(message), Status.DONE);
    expect(right, asInts, Status.DONE);
    assertEquals(4711, target.get(1));
  }

  @Test
  void carriesOtherTypesUnlessTheyAreChecked() {
    connect();
    Ints ints = subject.allocate(8, "test").asInts();
    ints.set(1, 1);
    Longs longs = subject.allocate(8, "test").asLongs();
    Ticket memory = right.receive(right.call(() -> right.link().register(longs)));
    left.send(left.call(() -> left.link().register(ints)));
    expect(right, memory, Status.DONE);
    assertEquals(DataType.INTS, memory.type());
    assertEquals(1L << 32, longs.get(0));
  }

  @Test
  void refusesToPostMoreThanWasAgreed() {
    connect(Attributes.DEFAULT.withDepths(2, 3));
    right.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            Ticket memory = right.link().register(right.allocate(10, "test").asBytes());
            assertEquals(Posting.POSTED, right.link().postReceive(memory));
          }
          Ticket one = right.link().register(right.allocate(10, "test").asBytes());
          assertEquals(Posting.QUEUE_FULL, right.link().postReceive(one));
          assertEquals(Status.IDLE, one.status());
        });
    left.run(
        () -> {
          Ticket[] messages = new Ticket[3];
          for (int i = 0; i < 3; i++) {
            messages[i] = left.link().register(left.allocate(10, "test").asBytes());
          }
          assertEquals(Posting.POSTED, left.link().postSend(messages[0]));
          assertEquals(Posting.POSTED, left.link().postSend(messages[1]));
          assertEquals(Posting.QUEUE_FULL, left.link().postSend(messages[2]));
          assertSame(messages[0], left.queue().await(Side.LONG_NANOS));
          assertEquals(Posting.POSTED, left.link().postSend(messages[2]));
          left.link().ring();
        });
    right.next(3);
  }

  @Test
  void holdsASenderToTheLongestMessageThatBothSidesTake() {
    connect(left, right, Attributes.DEFAULT, Attributes.DEFAULT.withMaximumMessageBytes(1000));
    assertEquals(1000, left.link().maximumMessageBytes());
    assertEquals(1000, right.link().maximumMessageBytes());
    Ticket message = left.memory(1001);
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> left.send(message));
    assertTrue(refusal.getMessage().contains("1000"), refusal.getMessage());
    Ticket memory = right.receive(right.memory(1000));
    left.send(left.range(message, 1, 1000));
    expect(right, memory, Status.DONE);
  }
}
