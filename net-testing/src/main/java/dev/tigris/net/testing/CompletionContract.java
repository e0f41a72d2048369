// Over 400 lines: what every provider promises about waiting has one place.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How every provider gives descriptors back, to those who poll and those who wait.
public abstract class CompletionContract extends FabricContract {
  private static final int LAST = 1;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /// Runs on this provider.
  protected CompletionContract(Subject subject) {
    super(subject);
  }

  @Test
  void servesManyInterfacesWithOneQueue() {
    int count = 40;
    List<VirtualInterface> from = new ArrayList<>();
    List<VirtualInterface> to = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connect();
      from.add(left.link());
      to.add(right.link());
      right.receive(right.memory(100));
    }
    for (int round = 0; round < 3; round++) {
      for (int i = count - 1; i >= 0; i--) {
        left.link(from.get(i));
        left.send(left.tag(left.memory(text("message " + i)), i));
      }
      boolean[] seen = new boolean[count];
      for (Descriptor next : right.next(count)) {
        int i = to.indexOf(next.virtualInterface());
        assertEquals(i, next.tag());
        expectContent(text("message " + i), (Ticket) next);
        seen[i] = true;
        right.link(to.get(i));
        right.receive(next);
      }
      for (boolean each : seen) {
        assertTrue(each);
      }
      left.next(count);
    }
  }

  /// A thread may take one completion and go away.
  @RepeatedTest(3)
  void wakesAPeerThatSleepsBeforeItReturnsASend() {
    right = side(0); // it sleeps at once
    connect();
    VirtualInterface first = left.link();
    right.receive(right.memory(1));
    right.expectNothing();
    Future<Descriptor> asleep = right.start(() -> right.queue().await(Long.MAX_VALUE));
    Side third = side();
    connect(left, third, Attributes.DEFAULT, Attributes.DEFAULT);
    VirtualInterface second = left.link();
    left.link(first);
    Ticket message = left.memory(text("m"));
    left.run(
        () -> {
          first.postSend(message).orThrow();
          second.ring();
          assertSame(message, left.queue().await(Side.LONG_NANOS));
        });
    assertNotNull(get(asleep), "the peer was not woken");
  }

  @Test
  void returnsWhatIsCompleteOnceWhenAnInterfaceIsAdded() {
    connect();
    VirtualInterface first = left.link();
    Ticket[] messages = new Ticket[4];
    for (int i = 0; i < messages.length; i++) {
      right.receive(right.memory(1));
      messages[i] = left.memory(text("m"));
    }
    left.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            first.postSend(messages[i]).orThrow();
          }
          first.ring();
          assertSame(messages[0], left.queue().await(Side.LONG_NANOS));
          first.postSend(messages[3]).orThrow();
        });
    Attributes deep = Attributes.DEFAULT.withDepths(1_000, 1_000);
    connect(left, side(), deep, deep);
    assertEquals(List.of(messages[1], messages[2], messages[3]), left.next(3));
    left.expectNothing();
    assertEquals(messages.length, right.next(messages.length).size());
  }

  @Test
  void returnsAllThatAPollHasFoundWithoutAnotherLook() {
    connect();
    int count = 3;
    for (int i = 0; i < count; i++) {
      right.receive(right.memory(1));
    }
    for (int i = 0; i < count; i++) {
      expect(left, left.send(left.memory(text("m"))), Status.DONE);
    }
    right.run(
        () -> {
          assertNull(right.queue().pollFound(), "it came before a poll has looked for it");
          int taken = 0;
          while (taken < count) {
            assertNotNull(right.queue().await(Side.LONG_NANOS));
            taken++;
            while (right.queue().pollFound() != null) {
              taken++;
            }
          }
          assertEquals(count, taken);
          right.link().checkInvariants();
        });
  }

  @Test
  void waitsNoLongerThanItWasTold() {
    connect();
    long start = System.nanoTime();
    assertNull(left.call(() -> left.queue().await(30_000_000)));
    assertTrue(System.nanoTime() - start >= 30_000_000);
    assertNull(left.call(() -> left.queue().await(Duration.ofMillis(30))));
    assertTrue(System.nanoTime() - start >= 60_000_000);
    assertNull(left.call(() -> left.queue().poll()));
  }

  @Test
  void leavesTheProcessorToOthersWhileItWaits() {
    connect();
    Ticket memory = right.receive(right.memory(10));
    expect(left, left.send(left.memory(text("first"))), Status.DONE);
    expect(right, memory, Status.DONE);
    for (Side side : List.of(left, right)) {
      long busyNanos =
          side.call(
              () -> {
                long before = THREADS.getCurrentThreadCpuTime();
                assertNull(side.queue().await(300_000_000));
                return THREADS.getCurrentThreadCpuTime() - before;
              });
      assertTrue(busyNanos < 100_000_000, busyNanos + " ns");
    }
  }

  @Test
  void isWokenByAnotherThread() {
    connect();
    for (int round = 0; round < 3; round++) {
      CountDownLatch waiting = new CountDownLatch(1);
      Future<String> waiter =
          left.start(
              () -> {
                waiting.countDown();
                return left.queue().await(Long.MAX_VALUE) == null ? "woken" : "completed";
              });
      awaitLatch(waiting);
      left.queue().wake();
      assertEquals("woken", get(waiter));
    }
  }

  @Test
  void endsTheNextWaitIfAMessageHasEndedTheOneBefore() {
    Side parking = side(0);
    connect(left, parking, Attributes.DEFAULT, Attributes.DEFAULT);
    Ticket message = left.memory(text("stop"));
    Ticket memory = parking.memory(10);
    for (int round = 0; round < 20; round++) {
      parking.receive(memory);
      CountDownLatch waiting = new CountDownLatch(1);
      Future<List<Descriptor>> waiter =
          parking.start(
              () -> {
                waiting.countDown();
                Descriptor first = parking.queue().await(Long.MAX_VALUE);
                return Arrays.asList(first, parking.queue().await(Long.MAX_VALUE));
              });
      awaitLatch(waiting);
      left.run(
          () -> {
            left.link().postSend(message).orThrow();
            left.link().ring();
            parking.queue().wake();
            assertSame(message, left.queue().await(Side.LONG_NANOS));
          });
      List<Descriptor> both = get(waiter);
      assertTrue(both.contains(memory) && both.contains(null), both.toString());
    }
  }

  @Test
  void endsAWaitWhenItsThreadIsInterrupted() {
    connect();
    left.run(
        () -> {
          Thread.currentThread().interrupt();
          assertNull(left.queue().await(Side.LONG_NANOS));
          assertTrue(Thread.interrupted());
        });
    Ticket memory = right.receive(right.memory(10));
    expect(left, left.send(left.memory(text("alive"))), Status.DONE);
    expect(right, memory, Status.DONE);
  }

  @Test
  void signalsOnceThatThereIsSomethingToPollFor() {
    connect();
    Ticket memory = right.receive(right.memory(10));
    CountDownLatch signalled = new CountDownLatch(1);
    right.run(() -> right.queue().signalOnce(signalled::countDown));
    left.send(left.memory(text("ready")));
    awaitLatch(signalled);
    right.run(
        () -> {
          Descriptor next = right.queue().poll();
          while (next == null) { // the signal may come before the whole message
            Thread.onSpinWait();
            next = right.queue().poll();
          }
          assertSame(memory, next);
        });
    expectContent(text("ready"), memory);
  }

  @Test
  void canBePolledAndPostedToUntilItSignals() {
    connect();
    left.run(() -> assertThrows(NullPointerException.class, () -> left.queue().signalOnce(null)));
    CountDownLatch signalled = new CountDownLatch(1);
    left.run(() -> left.queue().signalOnce(signalled::countDown));
    Ticket memory = right.receive(right.memory(10));
    left.send(left.memory(text("posted")));
    expect(right, memory, Status.DONE);
    left.queue().wake();
    awaitLatch(signalled);
  }

  @Test
  void signalsWhatTheOwnersDoorbellCompletes() {
    connect();
    Ticket memory = right.receive(right.memory(10));
    CountDownLatch signalled = new CountDownLatch(1);
    left.run(
        () -> {
          left.queue().signalOnce(signalled::countDown);
          assertNull(left.queue().poll());
        });
    Ticket message = left.send(left.memory(text("rung")));
    awaitLatch(signalled);
    expect(left, message, Status.DONE);
    expect(right, memory, Status.DONE);
  }

  @Test
  void signalsAReceiveThatAMessageWaitedFor() {
    connect();
    Ticket message = left.send(left.memory(text("early")));
    right.run(() -> assertNull(right.queue().await(Side.SHORT_NANOS)));
    CountDownLatch signalled = new CountDownLatch(1);
    right.run(() -> right.queue().signalOnce(signalled::countDown));
    Ticket memory = right.receive(right.memory(10));
    awaitLatch(signalled);
    expect(right, memory, Status.DONE);
    expect(left, message, Status.DONE);
  }

  @Test
  void refusesToWaitTwice() {
    connect();
    CountDownLatch signalled = new CountDownLatch(1);
    left.run(
        () -> {
          left.queue().signalOnce(signalled::countDown);
          try {
            assertNull(left.queue().await(1));
            awaitLatch(signalled); // it came early, for no reason, as it may
          } catch (IllegalStateException aSignalIsPending) {
            left.queue().wake();
          }
        });
    awaitLatch(signalled);
    left.run(() -> assertNull(left.queue().await(Side.SHORT_NANOS)));
  }

  @RepeatedTest(5)
  void closesWhileASignalIsPending() {
    connect();
    CountDownLatch signalled = new CountDownLatch(1);
    left.run(() -> left.queue().signalOnce(signalled::countDown));
    Future<?> closing = left.start(Executors.callable(left.queue()::close));
    expectEnded(right);
    get(closing);
    awaitLatch(signalled);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void parksInTheMiddleOfALongMessage(boolean arrays) {
    Side parking = side(0);
    connect(left, parking, Attributes.DEFAULT, Attributes.DEFAULT);
    int bytes = 3_000_000;
    Ticket message = left.memory(bytes);
    Ticket memory =
        arrays && parking.link().takesArrays()
            ? parking.call(() -> parking.link().register(ArrayType.BYTES, new byte[bytes]))
            : parking.memory(bytes);
    for (int round = 0; round < 10; round++) {
      Future<Descriptor> sent =
          left.start(
              () -> {
                left.link().postSend(message).orThrow();
                return left.queue().await(Side.LONG_NANOS);
              });
      parking.run(() -> assertNull(parking.queue().await(1_000_000))); // it begins to arrive
      parking.receive(memory);
      expect(parking, memory, Status.DONE);
      assertSame(message, get(sent));
    }
  }

  @Test
  void endsAWaitThatSpins() {
    Side spinning = new Side(fabric, Long.MAX_VALUE);
    Future<Boolean> waiter =
        spinning.start(
            () -> {
              boolean woken = spinning.queue().await(Long.MAX_VALUE) == null;
              Thread.currentThread().interrupt();
              return woken
                  && spinning.queue().await(Long.MAX_VALUE) == null
                  && Thread.interrupted();
            });
    spinning.queue().wake();
    assertTrue(get(waiter));
    get(spinning.startClosing());
  }

  /// It may wait for the peer to take what was sent last, and such a thread cannot sleep.
  @Test
  void closesInAnInterruptedThreadWithoutBeingBusy() {
    Side closing = side();
    connect(closing, right, Attributes.DEFAULT, Attributes.DEFAULT);
    long busyNanos =
        closing.call(
            () -> {
              closing.link().close();
              Thread.currentThread().interrupt();
              long start = THREADS.getCurrentThreadCpuTime();
              closing.queue().close();
              long end = THREADS.getCurrentThreadCpuTime();
              assertTrue(Thread.interrupted(), "it has forgotten that it was interrupted");
              return end - start;
            });
    assertTrue(busyNanos < 50_000_000, busyNanos + " ns busy");
  }

  /// As the one above, with an interrupt that comes while it waits, or just before.
  @Test
  void isInterruptedWhileItClosesWithoutBeingBusy() {
    Side closing = side();
    connect(closing, right, Attributes.DEFAULT, Attributes.DEFAULT);
    Thread closes = closing.call(Thread::currentThread);
    Future<Long> busyNanos =
        closing.start(
            () -> {
              closing.link().close();
              long start = THREADS.getCurrentThreadCpuTime();
              closing.queue().close();
              long end = THREADS.getCurrentThreadCpuTime();
              while (!Thread.interrupted()) { // its queue may have been quicker
                Thread.onSpinWait();
              }
              return end - start;
            });
    while (!closing.queue().toString().contains("closed")) {
      Thread.onSpinWait();
    }
    closes.interrupt();
    long busy = get(busyNanos);
    assertTrue(busy < 50_000_000, busy + " ns busy");
  }

  @Test
  void showsOtherThreadsWhereAnInterfaceIs() {
    connect();
    VirtualInterface link = left.link();
    CountDownLatch looking = new CountDownLatch(1);
    Future<InterfaceState> looker =
        right.start(
            () -> {
              long looks = 0;
              while (link.state() == InterfaceState.CONNECTED) {
                if (++looks == 100_000) { // long enough for the loop to be compiled
                  looking.countDown();
                }
              }
              return link.state();
            });
    awaitLatch(looking);
    left.run(link::close);
    assertEquals(InterfaceState.CLOSED, get(looker));
  }

  /// Returns a size that fits one packet of every provider, and one that is sent in parts; with
  /// long stretches, sizes between the two as well.
  static IntStream messageSizes() {
    return Allocations.STRETCH < Allocations.LONG_STRETCH
        ? IntStream.of(64, 100_000)
        : IntStream.of(64, 8_192, 100_000);
  }

  @ParameterizedTest
  @MethodSource("dev.tigris.net.testing.CompletionContract#messageSizes")
  @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
  @Tag("every") // each tier has its own length of a stretch
  void allocatesNothingPerMessage(int bytes) {
    connectSpinning();
    expectNothingAllocated(bytes);
  }

  void expectNothingAllocated(int bytes) {
    expectAllocated(0, bytes, new Allocations(2));
  }

  /// @param most bytes in the best stretch of messages
  void expectAllocated(long most, int bytes, Allocations allocations) {
    Future<Long> echo = right.start(() -> pingPong(right, bytes, allocations, false));
    Future<Long> pinging = left.start(() -> pingPong(left, bytes, allocations, true));
    long first = getInTheEnd(pinging);
    long second = getInTheEnd(echo);
    assertTrue(first <= most, first + " bytes allocated by the first side");
    assertTrue(second <= most, second + " bytes allocated by the second side");
  }

  /// Returns how many bytes this thread allocated in the best of the stretches.
  private static long pingPong(Side side, int bytes, Allocations allocations, boolean first) {
    Ticket memory = side.link().register(side.allocate(bytes, "test").asBytes());
    Ticket message = side.link().register(side.allocate(bytes, "test").asBytes());
    CompletionQueue queue = side.queue();
    Allocations.Stretches stretches = allocations.ofThisThread();
    side.link().postReceive(memory).orThrow();
    if (first) {
      side.link().postSend(message).orThrow();
    }
    boolean last = false;
    while (!last) {
      Descriptor next = queue.await(Side.LONG_NANOS);
      if (next == memory) {
        stretches.message();
        last = memory.tag() == LAST;
        side.link().postReceive(memory).orThrow();
        if (!first || !last) {
          boolean ends = last || (first && stretches.areOver());
          side.link().postSend(message.tag(ends ? LAST : 0)).orThrow();
        }
      } else if (next != message) {
        throw new AssertionError("a message was lost");
      }
    }
    side.link().ring();
    return stretches.fewestBytes();
  }

  @Test
  void handsOverPostedArraysBeforeItWaitsForAnAnswer() {
    connectAlone(); // arrays want a queue of their own
    ArrayInterface asking = left.call(() -> new ArrayInterface(left.link(), 64, 4));
    ArrayInterface answering = right.call(() -> new ArrayInterface(right.link(), 64, 4));
    int[] array = {0};
    Future<Boolean> echo =
        right.start(
            () -> {
              for (int i = 0; i < 3; i++) {
                ArrayInterface.Message<int[]> next =
                    answering.receive(ArrayType.INTS, Side.LONG_NANOS);
                if (next == null
                    || answering.postSend(ArrayType.INTS, next.array(), 0, 1, i) == null) {
                  return false;
                }
              }
              return answering.receive(ArrayType.INTS, Side.SHORT_NANOS) == null;
            });
    left.run(
        () -> {
          ArrayInterface.Posted answer = asking.postReceive(ArrayType.INTS, array, 0, 1);
          assertNotNull(asking.postSend(ArrayType.INTS, new int[] {1}, 0, 1, 0));
          assertTrue(asking.await(answer, Side.LONG_NANOS), "a posted receive was waited for");
          assertEquals(1, array[0]);
          assertNotNull(asking.postSend(ArrayType.INTS, new int[] {2}, 0, 1, 0));
          ArrayInterface.Message<int[]> next = asking.receive(ArrayType.INTS, Side.LONG_NANOS);
          assertNotNull(next, "a message was waited for");
          assertEquals(2, next.array()[0]);
          assertTrue(asking.send(ArrayType.INTS, new int[] {3}, 0, 1, 0, Side.LONG_NANOS));
        });
    assertTrue(get(echo));
    left.run(() -> assertEquals(3, asking.receive(ArrayType.INTS, Side.LONG_NANOS).array()[0]));
  }
}
