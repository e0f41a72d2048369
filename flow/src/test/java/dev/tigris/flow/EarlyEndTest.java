package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.policy.Policy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Ends before the end: by a module, by a source, by a policy.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EarlyEndTest {
  @Test
  void aModuleThatEndsEarlyEndsThoseThatFeedIt() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("head")
                .source("forever", Numbers.counting(0, Long.MAX_VALUE), 2)
                .reservoir(Reservoir.random())
                .stage("pass", () -> (in, out) -> out.put(in), 2)
                .reservoir(Reservoir.random())
                .stage(
                    "head",
                    () ->
                        (in, out) -> {
                          collected.add(Numbers.number(in));
                          if (collected.count() == 100) {
                            throw new EndOfStreamException();
                          }
                        })
                .build());
    assertEquals(100, collected.count());
    assertEquals(FlowSnapshot.State.DONE, snapshot.state());
    assertTrue(snapshot.replicas().stream().allMatch(FlowSnapshot.Replica::isEnded));
  }

  @ParameterizedTest
  @MethodSource("dev.tigris.flow.FlowTest#balanced")
  void sendersGoRoundAConsumerThatHasEnded(Reservoir reservoir) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    LongAdder lost = new LongAdder();
    CountDownLatch oneHasEnded = new CountDownLatch(1);
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("reroute")
                .source("count", Numbers.counting(0, 5000), 2)
                .reservoir(reservoir.withWindow(2))
                .stage("collect", () -> new EndsFirst(collected, lost, oneHasEnded), 3)
                .build());
    long discarded =
        snapshot.streams().stream().mapToLong(stream -> stream.counters().discarded()).sum();
    assertEquals(5000, collected.count() + lost.sum() + discarded);
    assertTrue(discarded + lost.sum() <= 2 * 3 + 1, "only what was under way: " + discarded);
  }

  /// Replica 0 ends at its first water, and the others wait until then.
  private static final class EndsFirst implements Module {
    private final Numbers.Collected collected;
    private final LongAdder lost;
    private final CountDownLatch ended;
    private int replica;

    EndsFirst(Numbers.Collected collected, LongAdder lost, CountDownLatch ended) {
      this.collected = collected;
      this.lost = lost;
      this.ended = ended;
    }

    @Override
    public void init(ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      if (replica == 0) {
        lost.increment();
        ended.countDown();
        throw new EndOfStreamException("enough");
      }
      ended.await();
      collected.add(Numbers.number(in));
    }
  }

  @Test
  void aSourceMayEndAtOnce() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    Numbers.run(
        Flow.named("at-once")
            .source(
                "none",
                () ->
                    out -> {
                      throw new EndOfStreamException();
                    },
                2)
            .reservoir(Reservoir.lottery())
            .stage("end", () -> new Numbers.Finishing(finished))
            .build());
    assertEquals(1, finished.get());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aPolicyMayDeclareTheEnd(int receivers) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Policy first =
        (view, random) -> {
          if (view.last() >= 0 && view.serviceNanos(0) > 0) {
            return Policy.END;
          }
          return view.credits(0) > 0 ? 0 : Policy.WAIT;
        };
    Numbers.run(
        Flow.named("policy")
            .source("forever", Numbers.counting(0, Long.MAX_VALUE))
            .reservoir(Reservoir.of(first))
            .stage("collect", collected.module(), receivers)
            .build());
    assertTrue(collected.count() >= 1);
  }

  /// Has always one more, as a feed from a network may.
  private static final class Endless extends LockedStream {
    Endless(StreamKind.Place place) {
      super(place);
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    protected synchronized Water receive() {
      Water water = spring().createWater(Long.BYTES);
      countReceived(water.size());
      return water;
    }
  }

  @Test
  void aModuleMayEndEarlyThoughItsFeedNeverDoes() throws Exception {
    FlowRun run =
        Flow.named("endless")
            .stage(
                "enough",
                () ->
                    (in, out) -> {
                      throw new EndOfStreamException();
                    })
            .feed("enough", Endless::new)
            .build()
            .start();
    assertTrue(run.await(Duration.ofSeconds(60)), run::toString);
    assertEquals(1, run.snapshot().streams().getFirst().counters().taken());
  }
}
