package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.StreamCounters;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two flows that streams over virtual interfaces join, each with an exchange of its own, as if
/// they were in two processes.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ExchangeTest {
  private static final int WINDOW = 8;
  private static final StreamOptions OPTIONS =
      StreamOptions.DEFAULT.withSlotBytes(4096).withPatience(Duration.ofSeconds(30));

  private Exchange here = new Exchange(1, 0, OPTIONS);
  private Exchange there = new Exchange(1, 0, OPTIONS);
  private Fabric fabric;
  private String address;

  private void open(String name) {
    fabric = Fabric.open(name);
    address = there.listen(fabric, name.equals("shm") ? "*" : "127.0.0.1:0");
  }

  @AfterEach
  void closeAll() {
    here.close();
    there.close();
    if (fabric != null) {
      fabric.close(); // all queues are closed
    }
    Wait.until(
        () -> "memory is held: " + Jbuf.use(),
        Duration.ofSeconds(20),
        () -> {
          System.gc();
          return Jbuf.use().bytesByOwner().entrySet().stream()
                  .filter(use -> use.getKey().contains("->"))
                  .mapToLong(use -> use.getValue())
                  .sum()
              == 0;
        });
  }

  private StreamKind sending(String stream) {
    return here.sending(stream, fabric, address);
  }

  private StreamKind receiving(String stream) {
    return there.receiving(stream).withWindow(WINDOW);
  }

  private static Reservoir reservoir() {
    return Reservoir.roundRobin().withWindow(WINDOW);
  }

  /// Puts numbered waters of sizes that a seed gives: most of them small, some of them larger than
  /// a slot.
  private static Source numbers(long count) {
    Random random = new Random(count);
    AtomicLong next = new AtomicLong();
    return out -> {
      long number = next.getAndIncrement();
      if (number == count) {
        return false;
      }
      int kind = random.nextInt(10);
      int size =
          kind < 6 ? 8 + random.nextInt(200) : kind < 8 ? 2100 + random.nextInt(1900) : 20_000;
      Water water = out.spring().createWater(size);
      water.bytes().setLong(0, number);
      water.bytes().set(size - 1, (byte) (size == 8 ? water.bytes().get(7) : number));
      out.put(water);
      return true;
    };
  }

  /// Requires numbered waters in their order.
  private static Module inOrder(AtomicLong seen) {
    return (in, out) -> {
      long number = in.bytes().getLong(0);
      byte last = in.bytes().get(in.size() - 1);
      if (number != seen.get() || (in.size() > 8 && last != (byte) number)) {
        throw new IllegalStateException("water %d came in place of %s".formatted(number, seen));
      }
      seen.incrementAndGet();
    };
  }

  private FlowRun start(Source source, StreamKind... streams) {
    return Flow.named("here")
        .source("read", () -> source)
        .drain("read", reservoir(), streams)
        .build()
        .start();
  }

  private static FlowRun start(Module module, StreamKind... streams) {
    return Flow.named("there").stage("count", () -> module).feed("count", streams).build().start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm", "uring"})
  void carriesWatersOfAllSizesInTheirOrder(String name) throws Exception {
    open(name);
    AtomicLong seen = new AtomicLong();
    FlowRun receiver = start(inOrder(seen), receiving("a"));
    FlowRun sender = start(numbers(5000), sending("a"));
    sender.await();
    assertEquals(5000, seen.get(), "a sender ends after its receiver has finished all");
    receiver.await();
    StreamCounters counters = sender.snapshot().streams().getFirst().counters();
    assertEquals(5000, counters.waters());
    assertEquals(0, counters.outstanding());
  }

  @Test
  void checksumsAreCheckedWhereTheyAreAskedFor() throws Exception {
    here = new Exchange(1, 0, OPTIONS.withChecksums(true));
    there = new Exchange(1, 0, OPTIONS.withChecksums(true));
    carriesWatersOfAllSizesInTheirOrder("tcp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void aModuleInTheMiddlePutsItsInputAgain(String name) throws Exception {
    open(name);
    String back = here.listen(fabric, name.equals("shm") ? "*" : "127.0.0.1:0");
    AtomicLong seen = new AtomicLong();
    FlowRun last =
        Flow.named("last")
            .stage("count", () -> inOrder(seen))
            .feed("count", here.receiving("back").withWindow(WINDOW))
            .build()
            .start();
    FlowRun middle =
        Flow.named("middle")
            .stage("pass", () -> (in, out) -> out.put(in))
            .feed("pass", receiving("forth"))
            .drain("pass", reservoir(), there.sending("back", fabric, back))
            .build()
            .start();
    start(numbers(3000), sending("forth")).await();
    middle.await();
    last.await();
    assertEquals(3000, seen.get());
  }

  @Test
  void aSlowReceiverGetsLess() throws Exception {
    open("tcp");
    AtomicLong quick = new AtomicLong();
    AtomicLong slow = new AtomicLong();
    CountDownLatch rest = new CountDownLatch(1);
    FlowRun first = start((in, out) -> quick.incrementAndGet(), receiving("quick"));
    FlowRun second =
        start(
            (in, out) -> {
              rest.await();
              slow.incrementAndGet();
            },
            receiving("slow"));
    FlowRun sender =
        Flow.named("here")
            .source("read", () -> numbers(2000))
            .drain(
                "read", Reservoir.lottery().withWindow(WINDOW), sending("quick"), sending("slow"))
            .build()
            .start();
    Wait.until("all others went to the quick one", () -> quick.get() >= 2000 - WINDOW);
    rest.countDown();
    sender.await();
    first.await();
    second.await();
    assertEquals(2000, quick.get() + slow.get());
    assertTrue(slow.get() <= WINDOW, "slow: " + slow);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm", "uring"})
  void aReceiverThatEndsEarlyEndsItsSender(String name) throws Exception {
    open(name);
    AtomicLong seen = new AtomicLong();
    Module module =
        (in, out) -> {
          if (seen.incrementAndGet() == 100) {
            throw new EndOfStreamException();
          }
        };
    FlowRun receiver = start(module, receiving("a"));
    FlowRun sender = start(numbers(Long.MAX_VALUE), sending("a"));
    sender.await();
    receiver.await();
    StreamCounters counters = sender.snapshot().streams().getFirst().counters();
    assertEquals(counters.waters(), 100 + counters.discarded() - counters.discards().afterTheEnd());
  }

  @Test
  void aFailureOnOneSideIsALossOnTheOther() throws Exception {
    open("tcp");
    FlowRun receiver =
        start(
            (in, out) -> {
              throw new IOException("no room");
            },
            receiving("a"));
    FlowRun sender = start(numbers(Long.MAX_VALUE), sending("a"));
    FlowException lost = assertThrows(FlowException.class, sender::await);
    assertTrue(lost.getMessage().contains("has lost its receiver"), lost.getMessage());
    assertThrows(FlowException.class, receiver::await);
  }

  @Test
  void aSourceThatFailsIsNotTheEndOfItsStream() throws Exception {
    open("tcp");
    AtomicLong seen = new AtomicLong();
    FlowRun receiver = start(inOrder(seen), receiving("a"));
    AtomicLong put = new AtomicLong();
    Source fails =
        out -> {
          if (put.getAndIncrement() == 0) {
            Water water = out.spring().createWater(8);
            water.bytes().setLong(0, 0);
            out.put(water);
            return true;
          }
          throw new IOException("the disk is broken");
        };
    FlowRun sender = start(fails, sending("a"));
    FlowException lost = assertThrows(FlowException.class, receiver::await);
    assertTrue(lost.getMessage().contains("has lost its sender"), lost.getMessage());
    assertThrows(FlowException.class, sender::await);
  }

  @Test
  void aCancelledFlowDoesNotWaitForTheOtherEnd() throws Exception {
    open("tcp");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    FlowRun receiver =
        start(
            (in, out) -> {
              begun.countDown();
              never.await();
            },
            receiving("a"));
    FlowRun sender = start(numbers(3), sending("a"));
    begun.await();
    sender.cancel();
    assertThrows(CancellationException.class, sender::await);
    receiver.cancel();
    assertThrows(CancellationException.class, receiver::await);
  }

  @Test
  void endsThatDoNotAgreeRefuseEachOther() throws Exception {
    open("tcp");
    FlowRun receiver = start(inOrder(new AtomicLong()), there.receiving("a").withWindow(5));
    FlowRun sender = start(numbers(100), sending("a"));
    FlowException refused = assertThrows(FlowException.class, receiver::await);
    assertTrue(refused.getMessage().contains("a window of 8"), refused.getMessage());
    assertThrows(FlowException.class, sender::await);
  }

  @Test
  void anEndThatNeverComesIsAFailure() throws Exception {
    StreamOptions brief = OPTIONS.withPatience(Duration.ofMillis(50));
    here = new Exchange(1, 0, brief);
    there = new Exchange(1, 0, brief);
    open("tcp");
    FlowRun receiver = start(inOrder(new AtomicLong()), receiving("a"));
    FlowException late = assertThrows(FlowException.class, receiver::await);
    assertTrue(late.getMessage().contains("no sender of stream a"), late.getMessage());
    FlowRun sender = start(numbers(1), sending("b"));
    FlowException nobody = assertThrows(FlowException.class, sender::await);
    assertEquals(FlowException.Phase.OPEN, nobody.phase());
    assertInstanceOf(IOException.class, nobody.getCause());
  }

  @Test
  void anotherAttemptIsAnotherStream() throws Exception {
    StreamOptions brief = OPTIONS.withPatience(Duration.ofMillis(200));
    here = new Exchange(1, 1, brief);
    there = new Exchange(1, 0, brief);
    open("tcp");
    FlowRun receiver = start(inOrder(new AtomicLong()), receiving("a"));
    FlowRun sender = start(numbers(1), sending("a"));
    assertThrows(FlowException.class, sender::await);
    assertThrows(FlowException.class, receiver::await);
  }
}
