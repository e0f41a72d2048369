package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.PeerLostException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.flow.testing.StreamContract;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Fabric;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultyFabric;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Streams over interfaces that break their promises: each water comes once and in its order, or
/// the flow fails and names the stream. No loss looks like an end.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StreamFaultsTest {
  private static final int WATERS = 300;
  private static final StreamOptions OPTIONS =
      StreamOptions.DEFAULT
          .withSlotBytes(4096)
          .withChecksums(true)
          .withPatience(Duration.ofMillis(500));
  private static final double[] PROBABILITIES = {0.05, 0.0005, 0.003};
  private static final Duration STILL = Duration.ofSeconds(1);

  /// What is wrong with messages.
  enum Fault {
    LOSS,
    DOUBLES,
    CORRUPTION,
    REORDERING,
    DELAY,
    CUT;

    Faults with(double probability) {
      Faults none = Faults.NONE;
      return switch (this) {
        case LOSS -> none.withLoss(probability);
        case DOUBLES -> none.withDuplication(probability);
        case CORRUPTION -> none.withCorruption(probability);
        case REORDERING -> none.withReordering(probability);
        case DELAY -> none.withDelay(probability, Duration.ofMillis(3));
        case CUT -> none.withCut(probability);
      };
    }
  }

  /// How a run may end.
  enum Ending {
    /// All waters came.
    WELL,
    /// An end has failed, or both, and said so.
    FAILED,
    /// A message is lost behind which nothing follows: both ends wait.
    STILL
  }

  private static Source numbers(long seed) {
    Random random = new Random(seed);
    AtomicLong next = new AtomicLong();
    return out -> {
      long number = next.getAndIncrement();
      if (number == WATERS) {
        return false;
      }
      int size = 8 + random.nextInt(random.nextInt(4) == 0 ? 9000 : 200);
      Water water = out.spring().createWater(size);
      for (int at = 8; at < size; at += 97) {
        water.bytes().set(at, (byte) number);
      }
      water.bytes().setLong(0, number);
      out.put(water);
      return true;
    };
  }

  private static void require(Water in, AtomicLong seen) {
    long number = in.bytes().getLong(0);
    boolean isIntact = number == seen.get();
    for (int at = 8; at < in.size(); at += 97) {
      isIntact &= in.bytes().get(at) == (byte) number;
    }
    if (!isIntact) {
      throw new IllegalStateException("BROKEN: %d in place of %s".formatted(number, seen));
    }
    seen.incrementAndGet();
  }

  private static Ending run(Faults faults) throws Exception {
    AtomicLong seen = new AtomicLong();
    try (Fabric fabric = FaultyFabric.open("tcp", faults);
        Exchange here = new Exchange(1, 0, OPTIONS);
        Exchange there = new Exchange(1, 0, OPTIONS)) {
      String address = there.listen(fabric, "127.0.0.1:0");
      FlowRun receiver =
          Flow.named("there")
              .stage("count", () -> (in, out) -> require(in, seen))
              .feed("count", there.receiving("words").withWindow(8))
              .build()
              .start();
      FlowRun sender =
          Flow.named("here")
              .source("read", () -> numbers(faults.seed()))
              .drain(
                  "read",
                  Reservoir.roundRobin().withWindow(8),
                  here.sending("words", fabric, address))
              .build()
              .start();
      Ending one = ending(receiver, seen);
      Ending other = ending(sender, seen);
      if (one == Ending.WELL) {
        assertEquals(WATERS, seen.get(), "the receiver has seen an end");
      }
      if (other == Ending.WELL) {
        assertEquals(WATERS, seen.get(), "the sender has ended");
      }
      return one == other ? one : one == Ending.WELL ? other : one;
    }
  }

  /// Waits for the end of a flow as long as waters come.
  private static Ending ending(FlowRun run, AtomicLong seen) throws InterruptedException {
    try {
      long before = -1;
      while (before != seen.get()) {
        before = seen.get();
        if (run.await(before == 0 ? STILL.plusSeconds(1) : STILL)) {
          return Ending.WELL;
        }
      }
      run.cancel();
      run.await();
      return Ending.WELL;
    } catch (CancellationException e) {
      return Ending.STILL;
    } catch (FlowException e) {
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("stream "), "it does not name the stream: " + message);
      assertTrue(!message.contains("BROKEN"), message);
      return Ending.FAILED;
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @EveryTier("more seeds in each")
  void eachWaterComesOnceOrTheFlowFails(Fault fault) throws Exception {
    Map<Ending, Integer> endings = new EnumMap<>(Ending.class);
    for (int seed = 1; seed <= Tier.choose(3, 15, 3000); seed++) {
      double probability = PROBABILITIES[seed % PROBABILITIES.length];
      try {
        endings.merge(run(fault.with(probability).withSeed(seed)), 1, Integer::sum);
      } catch (AssertionError e) {
        throw new AssertionError(
            "%s with %s, seed %d: %s".formatted(fault, probability, seed, e.getMessage()), e);
      }
    }
    System.out.printf("%s: %s%n", fault, endings);
    assertTrue(
        fault == Fault.LOSS || !endings.containsKey(Ending.STILL),
        () -> fault + " makes ends wait: " + endings);
  }

  /// The last messages use up all receives, and those that were posted again at once. So no
  /// completion tells of the end.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void aLossBehindMessagesInAllReceivesIsNoticed(String provider) throws Exception {
    int window = 8;
    int fillers = 2 * ReceiverProtocol.slots(window);
    CountDownLatch greeted = new CountDownLatch(1);
    try (Fabric fabric = Fabric.open(provider);
        Exchange there = new Exchange(1, 0, OPTIONS)) {
      String address = there.listen(fabric, provider.equals("shm") ? "*" : "127.0.0.1:0");
      InterfaceStream end =
          (InterfaceStream)
              there
                  .receiving("words", greeted::countDown)
                  .open(new StreamKind.Place("words", window));
      CompletableFuture<Void> sender = new CompletableFuture<>();
      Thread.ofPlatform()
          .start(
              () -> {
                try {
                  greetAndAbort(fabric, address, window, greeted, fillers);
                  sender.complete(null);
                } catch (Throwable e) {
                  sender.completeExceptionally(e);
                }
              });
      Wait.until(
          "the sender has greeted",
          () -> {
            end.mover().poll();
            return greeted.getCount() == 0;
          });
      sender.get();
      Wait.until(
          "the sender is lost",
          () -> {
            end.mover().poll();
            return end.failure() instanceof PeerLostException;
          });
      end.close(false);
    }
  }

  private static void greetAndAbort(
      Fabric fabric, String address, int window, CountDownLatch greeted, int fillers)
      throws Exception {
    Header.Identity identity = Header.Identity.of(1, 0, "words");
    Bytes bytes = Jbuf.allocate((1L + fillers) * 512, "test").asBytes();
    byte[] name = identity.name().getBytes(StandardCharsets.UTF_8);
    long sizes = (long) window << Integer.SIZE | OPTIONS.slotBytes();
    Header.write(bytes, 0, identity, Kind.HELLO, 0, name.length, 0, 0, sizes);
    bytes.copyFrom(Header.BYTES, name, 0, name.length);
    Header.flags(bytes, 0, 1);
    Header.seal(bytes, 0, bytes, Header.BYTES, name.length);
    try (CompletionQueue queue = fabric.completionQueue(0)) {
      VirtualInterface raw =
          fabric
              .connect(address, identity.hash(), queue, Attributes.DEFAULT, Duration.ofSeconds(30))
              .get();
      raw.postSend(raw.register(bytes).range(0, Header.BYTES + name.length)).orThrow();
      raw.ring();
      greeted.await();
      for (int i = 1; i <= fillers; i++) {
        long at = i * 512L;
        Header.write(bytes, at, identity, Kind.FILLER, 0, 0, i, 0, 0);
        Header.seal(bytes, at, bytes, at, 0);
        raw.postSend(raw.register(bytes).range(at, Header.BYTES)).orThrow();
      }
      raw.ring();
      for (int i = 0; i <= fillers; i++) {
        assertNotNull(queue.await(Duration.ofSeconds(30)));
      }
      raw.abort();
    }
  }

  @Test
  void aSenderThatNeverGreetsFailsItsReceiver() throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        Exchange there = new Exchange(1, 0, OPTIONS)) {
      String address = there.listen(fabric, "127.0.0.1:0");
      FlowRun receiver =
          Flow.named("there")
              .stage("count", () -> (in, out) -> {})
              .feed("count", there.receiving("words").withWindow(8))
              .build()
              .start();
      try (CompletionQueue queue = fabric.completionQueue(0)) {
        VirtualInterface silent =
            fabric
                .connect(
                    address,
                    Header.Identity.of(1, 0, "words").hash(),
                    queue,
                    Attributes.DEFAULT,
                    Duration.ofSeconds(30))
                .get();
        FlowException late = assertThrows(FlowException.class, receiver::await);
        assertTrue(String.valueOf(late.getMessage()).contains("has not greeted"), late.toString());
        silent.abort();
      }
    }
  }

  @Slow("each provider has twenty checks")
  @TestFactory
  Stream<DynamicTest> keepsTheContractOverWrappedProviders() {
    return Stream.of("tcp", "shm", "uring")
        .flatMap(
            provider ->
                StreamContract.apart(
                        window ->
                            new EndsApart(
                                FaultyFabric.open(provider, Faults.NONE),
                                FaultyFabric.open(provider, Faults.NONE),
                                provider.equals("shm") ? "*" : "127.0.0.1:0",
                                window))
                    .checks()
                    .stream()
                    .map(
                        check ->
                            DynamicTest.dynamicTest(
                                check.name() + " over " + provider, check::run)));
  }
}
