package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// A flow can be stopped at any moment, in any way, and then all of it ends.
class StoppingTest {
  private static final int WATERS = 500;

  enum Way {
    FAIL,
    CANCEL,
    END
  }

  @Property(tries = 100)
  void aFlowThatIsStoppedAtAnyMomentEnds(
      @ForAll Way way,
      @ForAll @IntRange(max = 2) int stage,
      @ForAll @IntRange(min = 1, max = WATERS) int moment,
      @ForAll @IntRange(min = 1, max = 4) int window,
      @ForAll @IntRange(min = 1, max = 3) int replicas)
      throws Exception {
    AtomicInteger destroyed = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    CompletableFuture<FlowRun> started = new CompletableFuture<>();
    Runnable stop =
        () -> {
          if (seen.incrementAndGet() == moment) {
            switch (way) {
              case FAIL -> throw new IllegalArgumentException("stop");
              case CANCEL -> started.join().cancel();
              case END -> throw new EndOfStreamException();
            }
          }
        };
    Runnable none = () -> {};
    FlowRun run =
        Flow.named("stopping")
            .source("s", () -> new Producing(stage == 0 ? stop : none, destroyed), replicas)
            .reservoir(Reservoir.lottery().withWindow(window))
            .stage("m", () -> new Passing(stage == 1 ? stop : none, true, destroyed), replicas)
            .reservoir(Reservoir.leastOutstanding().withWindow(window).withKind(LockedStream::new))
            .stage("e", () -> new Passing(stage == 2 ? stop : none, false, destroyed), replicas)
            .build()
            .start();
    started.complete(run);
    Duration patience = Duration.ofSeconds(60);
    switch (way) {
      case FAIL -> {
        FlowException failure = assertThrows(FlowException.class, () -> run.await(patience));
        assertInstanceOf(IllegalArgumentException.class, failure.getCause());
      }
      case CANCEL -> {
        try {
          assertTrue(run.await(patience), "it ends");
        } catch (CancellationException expected) {
          assertEquals(FlowSnapshot.State.CANCELLED, run.snapshot().state());
        }
      }
      case END -> assertTrue(run.await(patience), "it ends");
    }
    assertTrue(run.isDone());
    assertEquals(3 * replicas, destroyed.get(), "all are destroyed once");
  }

  /// Puts its share of waters, and more if it is to be stopped.
  private record Producing(Runnable stop, AtomicInteger destroyed, AtomicInteger left)
      implements Source {
    Producing(Runnable stop, AtomicInteger destroyed) {
      this(stop, destroyed, new AtomicInteger(WATERS));
    }

    @Override
    public boolean produce(Stream out) {
      stop.run();
      Numbers.put(out, 1);
      return left.decrementAndGet() > 0;
    }

    @Override
    public void destroy() {
      destroyed.incrementAndGet();
    }
  }

  private record Passing(Runnable stop, boolean passes, AtomicInteger destroyed) implements Module {
    @Override
    public void process(Water in, Stream out) {
      stop.run();
      if (passes) {
        out.put(in);
      }
    }

    @Override
    public void destroy() {
      destroyed.incrementAndGet();
    }
  }
}
