// Over 400 lines: what every provider promises about arrays has one place.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayInterface.Message;
import dev.tigris.net.ArrayInterface.Posted;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/// Level I over every provider: arrays that are copied, and those that are registered.
public abstract class ArrayContract extends FabricContract {
  /// How much is posted before the doorbell rings by itself, as [ArrayInterface] says.
  private static final int BATCH_BYTES = 32 * 1024;

  private static final int SLOTS = 4;
  private static final int SLOT_BYTES = 1024;
  private static final int LAST = 1;

  /// Runs on this provider.
  protected ArrayContract(Subject subject) {
    super(subject);
  }

  private ArrayInterface over(Side side) {
    return side.call(() -> new ArrayInterface(side.link(), SLOT_BYTES, SLOTS));
  }

  private ArrayInterface from;
  private ArrayInterface to;

  private void connectArrays() {
    connect();
    from = over(left);
    to = over(right);
  }

  /// A peer may be gone before the side that has accepted it gets so far.
  @Test
  void takesOverAnInterfaceWhosePeerIsGone() {
    connect();
    left.run(left.link()::abort);
    expectBroken(right);
    to = over(right);
    assertThrows(NetException.class, () -> receive(ArrayType.INTS));
    right.run(to::close);
    assertEquals(0, right.call(right.link()::counters).registeredBytes());
  }

  private <A> void send(ArrayType<A> type, A array, int start, int count, int tag) {
    assertTrue(left.call(() -> from.send(type, array, start, count, tag, Side.LONG_NANOS)));
  }

  private <A> Message<A> receive(ArrayType<A> type) {
    Message<A> message = right.call(() -> to.receive(type, Side.LONG_NANOS));
    assertNotNull(message, "nothing has arrived");
    return message;
  }

  @Test
  void carriesArraysOfEveryPrimitiveType() {
    connectArrays();
    send(ArrayType.BOOLEANS, new boolean[] {false, true, true, false}, 1, 3, 1);
    send(ArrayType.BYTES, new byte[] {1, -2, 3}, 0, 3, 2);
    send(ArrayType.SHORTS, new short[] {1, -2, 3}, 1, 2, 3);
    send(ArrayType.CHARS, new char[] {'a', '\uffff'}, 0, 2, 4);
    assertArrayEquals(new boolean[] {true, true, false}, receive(ArrayType.BOOLEANS).array());
    assertArrayEquals(new byte[] {1, -2, 3}, receive(ArrayType.BYTES).array());
    assertArrayEquals(new short[] {-2, 3}, receive(ArrayType.SHORTS).array());
    assertArrayEquals(new char[] {'a', '\uffff'}, receive(ArrayType.CHARS).array());
    send(ArrayType.INTS, new int[] {1, Integer.MIN_VALUE}, 0, 2, 5);
    send(ArrayType.LONGS, new long[] {1, Long.MIN_VALUE}, 1, 1, 6);
    send(ArrayType.FLOATS, new float[] {1.5f, Float.NaN}, 0, 2, 7);
    send(ArrayType.DOUBLES, new double[] {Math.PI}, 0, 1, 8);
    assertArrayEquals(new int[] {1, Integer.MIN_VALUE}, receive(ArrayType.INTS).array());
    assertArrayEquals(new long[] {Long.MIN_VALUE}, receive(ArrayType.LONGS).array());
    assertArrayEquals(new float[] {1.5f, Float.NaN}, receive(ArrayType.FLOATS).array());
    Message<double[]> last = receive(ArrayType.DOUBLES);
    assertArrayEquals(new double[] {Math.PI}, last.array());
    assertEquals(8, last.tag());
  }

  @Test
  void keepsTheTypeOfArraysThatAreSentWithoutACompletionBeingTaken() {
    connect();
    int count = 32;
    from = left.call(() -> new ArrayInterface(left.link(), SLOT_BYTES, count));
    to = right.call(() -> new ArrayInterface(right.link(), SLOT_BYTES, count));
    Future<Boolean> sending =
        left.start(
            () -> {
              Posted last = null;
              for (int i = 0; i < count; i++) {
                last = from.postSend(ArrayType.INTS, new int[] {i}, 0, 1, i);
                assertNotNull(last);
              }
              return from.await(last, Side.LONG_NANOS); // those that find no credit need a look
            });
    for (int i = 0; i < count; i++) {
      assertArrayEquals(new int[] {i}, receive(ArrayType.INTS).array());
    }
    assertTrue(get(sending));
  }

  /// Who is refused has used up no place in the rings: the next sends and receives complete.
  @Test
  void goesOnAfterACallThatWasRefusedToAnotherThread() {
    connectArrays();
    int[] array = {1};
    send(ArrayType.INTS, array, 0, 1, 1);
    for (int i = 0; i < SLOTS + 1; i++) {
      assertThrows(WrongThreadException.class, () -> from.postSend(ArrayType.INTS, array, 0, 1, 0));
      assertThrows(WrongThreadException.class, () -> to.postReceive(ArrayType.INTS, array, 0, 1));
      assertThrows(WrongThreadException.class, from::ring);
    }
    assertArrayEquals(array, receive(ArrayType.INTS).array());
    for (int i = 0; i < 2 * SLOTS; i++) {
      int[] number = {i};
      Posted received = right.call(() -> to.postReceive(ArrayType.INTS, new int[1], 0, 1));
      Posted sent = left.call(() -> from.postSend(ArrayType.INTS, number, 0, 1, number[0]));
      assertTrue(left.call(() -> from.await(sent, Side.LONG_NANOS)), "send " + i);
      assertTrue(right.call(() -> to.await(received, Side.LONG_NANOS)), "receive " + i);
      assertEquals(i, received.tag());
    }
  }

  @Test
  void carriesArraysOfEveryPrimitiveTypeWithoutACopyOfItsOwn() {
    connect();
    carryInPlace(ArrayType.BYTES, new byte[] {1, -2, 3}, new byte[3]);
    carryInPlace(ArrayType.SHORTS, new short[] {1, -2, 3}, new short[3]);
    carryInPlace(ArrayType.CHARS, new char[] {'a', '\uffff'}, new char[2]);
    carryInPlace(ArrayType.INTS, new int[] {1, Integer.MIN_VALUE}, new int[2]);
    carryInPlace(ArrayType.LONGS, new long[] {1, Long.MIN_VALUE}, new long[2]);
    carryInPlace(ArrayType.FLOATS, new float[] {1.5f, Float.NaN}, new float[2]);
    carryInPlace(ArrayType.DOUBLES, new double[] {Math.PI}, new double[1]);
    assertThrows(
        UnsupportedOperationException.class,
        () -> left.call(() -> left.link().register(ArrayType.BOOLEANS, new boolean[1])));
  }

  /// Whoever does not take arrays says so, for every type.
  private <A> void carryInPlace(ArrayType<A> type, A sent, A arrived) {
    if (!left.link().takesArrays()) {
      assertThrows(
          UnsupportedOperationException.class,
          () -> left.call(() -> left.link().register(type, sent)));
      return;
    }
    Ticket memory = right.receive(right.call(() -> right.link().register(type, arrived)));
    Ticket message = left.send(left.call(() -> left.link().register(type, sent)));
    expect(left, message, Status.DONE);
    expect(right, memory, Status.DONE);
    assertEquals(type.dataType(), memory.type());
    assertTrue(Objects.deepEquals(sent, arrived), type.toString());
  }

  @Test
  void refusesAMessageThatIsTooLongForItsSlots() {
    connect();
    from = over(left);
    to = right.call(() -> new ArrayInterface(right.link(), 64, SLOTS));
    send(ArrayType.INTS, new int[100], 0, 100, 1);
    send(ArrayType.INTS, new int[] {7}, 0, 1, 2);
    NetException refusal = assertThrows(NetException.class, () -> receive(ArrayType.INTS));
    assertTrue(refusal.getMessage().contains("64 bytes"), refusal.getMessage());
    assertArrayEquals(new int[] {7}, receive(ArrayType.INTS).array());
  }

  @Test
  void refusesAPartOfAnElement() {
    connect();
    to = over(right);
    Ticket ints = left.call(() -> left.link().register(Jbuf.allocate(16, "test").asInts()));
    expect(left, left.send(left.range(ints, 0, 7)), Status.DONE);
    expect(left, left.send(left.range(ints, 0, 8)), Status.DONE);
    assertThrows(NetException.class, () -> receive(ArrayType.INTS));
    assertEquals(2, receive(ArrayType.INTS).array().length);
    int[] array = new int[4];
    Posted posted = right.call(() -> to.postReceive(ArrayType.INTS, array, 0, 4));
    expect(left, left.send(left.range(ints, 0, 9)), Status.DONE);
    assertTrue(right.call(() -> to.await(posted, Side.LONG_NANOS)));
    assertEquals(Status.OTHER_TYPE, posted.status());
  }

  @Test
  void receivesIntoPostedArraysInOrder() {
    connectArrays();
    int[] first = new int[4];
    int[] second = {7, 7, 7, 7};
    Posted one = right.call(() -> to.postReceive(ArrayType.INTS, first, 0, 4));
    Posted two = right.call(() -> to.postReceive(ArrayType.INTS, second, 1, 2));
    assertFalse(right.call(() -> to.await(one, Side.SHORT_NANOS)));
    send(ArrayType.INTS, new int[] {1, 2, 3, 4}, 0, 4, -1);
    send(ArrayType.INTS, new int[] {5, 6}, 0, 2, -2);
    send(ArrayType.INTS, new int[] {8}, 0, 1, -3);
    assertTrue(right.call(() -> to.await(two, Side.LONG_NANOS)));
    assertTrue(one.isComplete());
    assertEquals(4, one.count());
    assertEquals(-1, one.tag());
    assertEquals(-2, two.tag());
    assertArrayEquals(new int[] {1, 2, 3, 4}, first);
    assertArrayEquals(new int[] {7, 5, 6, 7}, second);
    assertArrayEquals(new int[] {8}, receive(ArrayType.INTS).array());
  }

  @Test
  void takesWhatHasArrivedBeforeItWasPosted() {
    connectArrays();
    send(ArrayType.INTS, new int[] {1}, 0, 1, 1);
    send(ArrayType.INTS, new int[] {2}, 0, 1, 2);
    assertArrayEquals(new int[] {1}, receive(ArrayType.INTS).array());
    int[] array = new int[1];
    Posted posted = right.call(() -> to.postReceive(ArrayType.INTS, array, 0, 1));
    assertTrue(right.call(() -> to.await(posted, Side.LONG_NANOS)));
    assertEquals(2, array[0]);
  }

  /// Of what arrives together the side that waits takes one at a time.
  @RepeatedTest(10)
  void takesWhatHasArrivedBeforeTheEnd() {
    connectArrays();
    int[][] arrays = new int[SLOTS][1];
    Posted first = right.call(() -> to.postReceive(ArrayType.INTS, arrays[0], 0, 1));
    Future<Boolean> waiting = right.start(() -> to.await(first, Side.LONG_NANOS));
    left.run(
        () -> {
          Posted last = null;
          for (int i = 0; i < SLOTS; i++) {
            last = from.postSend(ArrayType.INTS, new int[] {i + 1}, 0, 1, i);
          }
          assertTrue(from.await(last, Side.LONG_NANOS));
          from.close();
        });
    assertTrue(get(waiting));
    for (int i = 1; i < SLOTS; i++) {
      int[] array = arrays[i];
      Posted posted = right.call(() -> to.postReceive(ArrayType.INTS, array, 0, 1));
      assertTrue(right.call(() -> to.await(posted, Side.LONG_NANOS)));
    }
    assertArrayEquals(new int[][] {{1}, {2}, {3}, {4}}, arrays);
  }

  @Test
  void saysWhatIsWrongWithAMessage() {
    connectArrays();
    Posted small = right.call(() -> to.postReceive(ArrayType.INTS, new int[1], 0, 1));
    Posted other = right.call(() -> to.postReceive(ArrayType.LONGS, new long[9], 0, 9));
    send(ArrayType.INTS, new int[2], 0, 2, 0);
    send(ArrayType.INTS, new int[2], 0, 2, 0);
    send(ArrayType.INTS, new int[2], 0, 2, 0);
    send(ArrayType.INTS, new int[3], 0, 3, 0);
    assertTrue(right.call(() -> to.await(other, Side.LONG_NANOS)));
    assertEquals(Status.TOO_LONG, small.status());
    assertEquals(Status.OTHER_TYPE, other.status());
    NetException refusal = assertThrows(NetException.class, () -> receive(ArrayType.DOUBLES));
    assertTrue(refusal.getMessage().contains("INTS"), refusal.getMessage());
    assertEquals(3, receive(ArrayType.INTS).array().length);
    assertThrows(
        IllegalArgumentException.class,
        () -> left.call(() -> from.postSend(ArrayType.BYTES, new byte[2000], 0, 1025, 0)));
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> left.call(() -> from.postSend(ArrayType.BYTES, new byte[9], 1, 9, 0)));
  }

  @Test
  void takesTimesAsDurations() {
    connectArrays();
    Duration instant = Duration.ofMillis(20);
    Posted posted = right.call(() -> to.postReceive(ArrayType.INTS, new int[1], 0, 1));
    assertFalse(right.call(() -> to.await(posted, instant)));
    left.run(() -> assertTrue(from.send(ArrayType.INTS, new int[1], 0, 1, 1, PATIENCE)));
    assertTrue(right.call(() -> to.await(posted, PATIENCE)));
    assertNull(right.call(() -> to.receive(ArrayType.INTS, instant)));
    left.run(() -> assertTrue(from.send(ArrayType.INTS, new int[1], 0, 1, 2, PATIENCE)));
    assertEquals(2, right.call(() -> to.receive(ArrayType.INTS, PATIENCE)).tag());
  }

  @Test
  void runsOutOfTicketsWhenThePeerDoesNotReceive() {
    connectArrays();
    byte[] array = new byte[SLOT_BYTES];
    Future<Integer> sending =
        left.start(
            () -> {
              int sent = 0;
              while (from.send(ArrayType.BYTES, array, 0, SLOT_BYTES, sent, 100_000_000)) {
                sent++;
              }
              return sent;
            });
    int sent = get(sending);
    assertTrue(sent > 2 * SLOTS, sent + " fit into the network");
    assertNull(left.call(() -> from.postSend(ArrayType.BYTES, array, 0, SLOT_BYTES, 0)));
    Future<Boolean> draining =
        left.start(
            () -> {
              while (from.virtualInterface().outstanding() > SLOTS) { // the receives stay posted
                if (from.receive(ArrayType.BYTES, 1_000_000) != null) {
                  return false;
                }
              }
              return true;
            });
    right.run(
        () -> {
          for (int i = 0; i < sent; i++) {
            assertEquals(i, to.receive(ArrayType.BYTES, Side.LONG_NANOS).tag());
          }
        });
    assertTrue(get(draining));
  }

  @Test
  void ringsForPostedArraysWhenItIsToldTo() {
    connectArrays();
    Posted first = left.call(() -> from.postSend(ArrayType.INTS, new int[] {1}, 0, 1, 1));
    assertNull(right.call(() -> to.receive(ArrayType.INTS, Side.SHORT_NANOS)), "it has left");
    left.run(() -> from.ring());
    assertEquals(1, receive(ArrayType.INTS).tag());
    assertTrue(left.call(() -> from.await(first, Side.LONG_NANOS)));
    assertNotNull(left.call(() -> from.postSend(ArrayType.INTS, new int[] {2}, 0, 1, 2)));
    assertTrue(left.call(() -> from.await(first, Side.LONG_NANOS)), "it was complete");
    assertEquals(2, receive(ArrayType.INTS).tag());
  }

  @Test
  void ringsByItselfWhenABatchIsPostedOrNoBufferIsFree() {
    connect();
    int half = BATCH_BYTES / 2;
    from = left.call(() -> new ArrayInterface(left.link(), half, SLOTS));
    to = right.call(() -> new ArrayInterface(right.link(), half, SLOTS));
    byte[] array = new byte[half];
    Posted last =
        left.call(
            () -> {
              assertNotNull(from.postSend(ArrayType.BYTES, array, 0, half, 1));
              return from.postSend(ArrayType.BYTES, array, 0, half, 2);
            });
    assertEquals(1, receive(ArrayType.BYTES).tag());
    assertEquals(2, receive(ArrayType.BYTES).tag());
    left.run(
        () -> {
          assertTrue(from.await(last, Side.LONG_NANOS));
          for (int i = 0; i <= SLOTS; i++) {
            assertNotNull(from.postSend(ArrayType.BYTES, array, 0, 1, i));
          }
        });
    for (int i = 0; i < SLOTS; i++) {
      assertEquals(i, receive(ArrayType.BYTES).tag());
    }
  }

  @Test
  void flushesWhatIsPostedWhenThePeerIsGone() {
    connectArrays();
    Posted posted = right.call(() -> to.postReceive(ArrayType.INTS, new int[1], 0, 1));
    left.run(from::close);
    assertTrue(right.call(() -> to.await(posted, Side.LONG_NANOS)));
    assertEquals(Status.FLUSHED, posted.status());
    assertThrows(NetException.class, () -> receive(ArrayType.INTS));
    assertThrows(
        NetException.class,
        () -> right.call(() -> to.postSend(ArrayType.INTS, new int[1], 0, 1, 0)));
    right.run(to::close);
  }

  @Test
  void refusesInterfacesThatItCannotHaveForItself() {
    connect(Attributes.DEFAULT.withCheckTypes(true));
    assertThrows(IllegalArgumentException.class, () -> over(left));
    connect();
    assertThrows(IllegalArgumentException.class, () -> over(left)); // two on one queue
    left = side();
    connect();
    left.receive(left.memory(10));
    assertThrows(IllegalArgumentException.class, () -> over(left)); // in use
  }

  /// Of the provider that is the quickest to be compiled: what is above it is the same for all.
  void expectNothingAllocatedPerAsynchronousMessage() {
    connectSpinning();
    from = over(left);
    to = over(right);
    Allocations allocations = new Allocations(2);
    Future<Long> echo = right.start(() -> pingPong(to, allocations, false));
    Future<Long> pinging = left.start(() -> pingPong(from, allocations, true));
    assertEquals(0, getInTheEnd(pinging), "bytes allocated by the first side");
    assertEquals(0, getInTheEnd(echo), "bytes allocated by the second side");
  }

  /// Returns how many bytes this thread allocated in the best of the stretches.
  private static long pingPong(ArrayInterface arrays, Allocations allocations, boolean first) {
    Allocations.Stretches stretches = allocations.ofThisThread();
    int[] array = new int[100];
    boolean last = false;
    while (!last) {
      if (first) {
        last = stretches.areOver();
        send(arrays, array, last);
      }
      Posted posted = arrays.postReceive(ArrayType.INTS, array, 0, array.length);
      if (posted == null || !arrays.await(posted, Side.LONG_NANOS)) {
        throw new AssertionError("lost");
      }
      stretches.message();
      if (!first) {
        last = posted.tag() == LAST;
        send(arrays, array, last);
      }
    }
    return stretches.fewestBytes();
  }

  private static void send(ArrayInterface arrays, int[] array, boolean last) {
    int tag = last ? LAST : 0;
    if (!arrays.send(ArrayType.INTS, array, 0, array.length, tag, Side.LONG_NANOS)) {
      throw new AssertionError("lost");
    }
  }
}
