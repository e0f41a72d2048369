package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.policy.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Streams whose other end is lost, or has ended: neither looks like the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LostPeerTest {
  private final IOException cause = new IOException("the wire was cut");

  /// A kind whose streams can be cut.
  private static final class Wire extends LockedStream {
    Wire(StreamKind.Place place) {
      super(place);
    }

    void cut(IOException cause) {
      fail(cause);
    }

    void hearsOfItsEnd() {
      peerStopped();
    }
  }

  private static Wire wire(int window) {
    return new Wire(new StreamKind.Place("wire", window));
  }

  @Test
  void aLostSenderIsNotTheEndOfTheStream() {
    Wire wire = wire(2);
    Numbers.put(wire, 1);
    wire.cut(cause);
    wire.cut(new IOException("later"));
    assertSame(cause, wire.failure());
    Water water = wire.get();
    assertNotNull(water, "what came before is still given");
    water.release();
    StreamException lost = assertThrows(StreamException.class, wire::get);
    assertSame(cause, lost.getCause());
    assertTrue(lost.getMessage().contains("has lost its sender"), lost.getMessage());
    assertThrows(StreamException.class, wire::poll);
    wire.close(false);
  }

  @Test
  void aSenderThatHasEndedCannotBeLostAnyMore() {
    Wire wire = wire(2);
    wire.end();
    wire.cut(cause);
    assertNull(wire.get());
    wire.close(false);
  }

  @Test
  void aPutToALostReceiverThrowsAndCounts() {
    Wire wire = wire(2);
    Numbers.put(wire, 1);
    wire.cut(cause);
    assertEquals(0, wire.credits());
    StreamException lost = assertThrows(StreamException.class, () -> Numbers.put(wire, 2));
    assertTrue(lost.getMessage().contains("has lost its receiver"), lost.getMessage());
    assertEquals(new StreamCounters.Discards(0, 0, 1), wire.counters().discards());
    assertEquals(1, wire.counters().discarded());
    wire.close(false);
  }

  @Test
  void aPutAfterTheReceiversEndIsCountedAsSuch() {
    Wire wire = wire(2);
    Numbers.put(wire, 1);
    wire.hearsOfItsEnd();
    assertTrue(wire.isStopped());
    Numbers.put(wire, 2);
    assertEquals(new StreamCounters.Discards(0, 1, 0), wire.counters().discards());
    wire.close(false);
  }

  /// Takes the first stream that has credit, so that it is known where a water goes.
  private static final Policy FIRST =
      (view, random) -> {
        for (int stream = 0; stream < view.streams(); stream++) {
          if (view.credits(stream) > 0) {
            return stream;
          }
        }
        return Policy.WAIT;
      };

  @Test
  void aPutThatWaitsForAReceiverThatEndsChoosesAgain() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch full = new CountDownLatch(1);
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("again")
                .source(
                    "burst",
                    () ->
                        out -> {
                          for (int i = 0; i < 20; i++) {
                            if (i == 4) {
                              taken.await();
                              full.countDown();
                            }
                            Numbers.put(out, i);
                          }
                          return false;
                        })
                .reservoir(Reservoir.of(FIRST).withWindow(4))
                .stage(
                    "take",
                    () ->
                        new Module() {
                          private ModuleContext context;

                          @Override
                          public void init(ModuleContext moduleContext) {
                            context = moduleContext;
                          }

                          @Override
                          public void process(Water in, Stream out) throws Exception {
                            if (context.replica() == 0) {
                              taken.countDown();
                              full.await();
                              throw new EndOfStreamException();
                            }
                            collected.add(Numbers.number(in));
                          }
                        },
                    2)
                .build());
    StreamCounters ended = snapshot.streams().get(0).counters();
    StreamCounters other = snapshot.streams().get(1).counters();
    assertEquals(other.waters(), ended.rerouted());
    assertEquals(20, ended.waters() + ended.rerouted());
    assertEquals(new StreamCounters.Discards(ended.waters() - 1, 0, 0), ended.discards());
    assertEquals(other.waters(), collected.count());
    assertTrue(collected.count() >= 15, "at most a window and one more go to the first");
  }

  @Test
  void aModuleThatChoosesItselfIsNotOverruled() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("chosen")
                .source(
                    "count",
                    () ->
                        new Source() {
                          private ModuleContext context;

                          @Override
                          public void init(ModuleContext moduleContext) {
                            context = moduleContext;
                          }

                          @Override
                          public boolean produce(Stream out) throws Exception {
                            ended.await();
                            while (!context.route(0).isStopped()) {
                              Thread.onSpinWait();
                            }
                            Numbers.put(context.route(0), 1);
                            Numbers.put(context.route(1), 2);
                            return false;
                          }
                        })
                .reservoir(Reservoir.routed())
                .stage(
                    "take",
                    () ->
                        new Module() {
                          @Override
                          public void init(ModuleContext context) {
                            if (context.replica() == 0) {
                              ended.countDown();
                              throw new EndOfStreamException();
                            }
                          }

                          @Override
                          public void process(Water in, Stream out) {}
                        },
                    2)
                .build());
    assertEquals(1, snapshot.streams().get(0).counters().discards().afterTheEnd());
    assertEquals(1, snapshot.streams().get(1).counters().taken());
  }

  private record Taking(AtomicInteger finished) implements Module {
    @Override
    public void process(Water in, Stream out) {}

    @Override
    public void finish(Stream out) {
      finished.incrementAndGet();
    }
  }

  private FlowException failsWhenCut(boolean whileSending) {
    Map<String, Wire> wires = new ConcurrentHashMap<>();
    AtomicInteger finished = new AtomicInteger();
    CountDownLatch under = new CountDownLatch(1);
    FlowRun run =
        Flow.named("cut")
            .source(
                "count",
                () ->
                    out -> {
                      Numbers.put(out, 1);
                      under.countDown();
                      if (whileSending) {
                        return true;
                      }
                      new CountDownLatch(1).await();
                      return false;
                    })
            .reservoir(
                Reservoir.lottery()
                    .withKind(
                        place -> {
                          Wire wire = new Wire(place);
                          wires.put(place.name(), wire);
                          return wire;
                        }))
            .stage("take", () -> new Taking(finished), 2)
            .build()
            .start();
    try {
      under.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    wires.get("count[0]->take[1]").cut(cause);
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertSame(cause, failure.getCause().getCause());
    assertEquals(0, finished.get(), "nobody has taken it for the end");
    return failure;
  }

  @Test
  void aFlowFailsWithTheCauseWhenAPeerIsLost() {
    failsWhenCut(true);
    FlowException failure = failsWhenCut(false);
    assertEquals("take", failure.stage(), "the one that waits has noticed");
    assertEquals(1, failure.replica());
  }
}
