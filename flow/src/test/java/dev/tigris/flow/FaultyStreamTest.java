package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A kind of streams that fails at one of its calls, whichever: the flow ends with that cause,
/// every thread stopped, every buffer given back, and every stream closed.
class FaultyStreamTest {
  /// Which of all calls of a flow's streams fails, and whether those after it do too.
  private static final class Faults {
    private final @Nullable String method;
    private final long failing;
    private final boolean forever;
    private final boolean error;
    private long calls;
    private @Nullable Throwable thrown;
    private int opened;
    private int closed;

    Faults(long failing, boolean forever, boolean error) {
      this(null, failing, forever, error);
    }

    /// Only calls of this method are counted, and fail.
    Faults(@Nullable String method, long failing, boolean forever, boolean error) {
      this.method = method;
      this.failing = failing;
      this.forever = forever;
      this.error = error;
    }

    synchronized void call(String called) {
      if (method != null && !method.equals(called)) {
        return;
      }
      calls++;
      if (calls != failing && !(forever && calls > failing)) {
        return;
      }
      String what = "%s, call %d".formatted(called, calls);
      if (error) {
        AssertionError made = new AssertionError(what);
        thrown = thrown == null ? made : thrown;
        throw made;
      }
      IllegalArgumentException made = new IllegalArgumentException(what);
      thrown = thrown == null ? made : thrown;
      throw made;
    }
  }

  private static final class Faulty extends LockedStream {
    private final Faults faults;

    Faulty(StreamKind.Place place, Faults faults) {
      super(place);
      this.faults = faults;
      faults.call("open");
      faults.opened++;
    }

    @Override
    public Spring spring() {
      faults.call("spring");
      return bytes -> {
        faults.call("createWater");
        return super.spring().createWater(bytes);
      };
    }

    @Override
    public synchronized int outstanding() {
      faults.call("outstanding");
      return super.outstanding();
    }

    @Override
    public synchronized boolean isReady() {
      faults.call("isReady");
      return super.isReady();
    }

    @Override
    public synchronized boolean isDrained() {
      faults.call("isDrained");
      return super.isDrained();
    }

    @Override
    protected boolean canCarry(Water water) {
      faults.call("canCarry");
      return super.canCarry(water);
    }

    @Override
    protected synchronized void send(Water water) {
      faults.call("send");
      super.send(water);
    }

    @Override
    protected synchronized void sendEnd() {
      faults.call("sendEnd");
      super.sendEnd();
    }

    @Override
    protected synchronized @Nullable Water receive() {
      faults.call("receive");
      return super.receive();
    }

    @Override
    protected void release(Water water) {
      faults.call("release");
      super.release(water);
    }

    @Override
    protected void leave(Water water) {
      faults.call("leave");
      super.leave(water);
    }

    @Override
    protected void sendStop() {
      faults.call("sendStop");
      super.sendStop();
    }

    @Override
    protected void prepare() {
      faults.call("prepare");
      super.prepare();
    }

    @Override
    protected void dispose(boolean complete) {
      faults.closed++;
      super.dispose(complete);
      faults.call("close");
    }
  }

  /// Two sources, two who pass on and keep, one who takes some and then no more.
  private static Flow flow(Faults faults, long seed, long taken) {
    StreamKind kind = place -> new Faulty(place, faults);
    return Flow.named("faulty")
        .seed(seed)
        .source("count", Numbers.counting(0, 60), 2)
        .reservoir(Reservoir.leastOutstanding().withWindow(3).withKind(kind))
        .stage(
            "pass",
            () ->
                (in, out) -> {
                  if (Numbers.number(in) % 3 == 0) {
                    in.keep();
                  }
                  out.put(in);
                },
            2)
        .reservoir(Reservoir.lottery().withWindow(2).withKind(kind))
        .stage(
            "take",
            () ->
                (in, out) -> {
                  if (Numbers.number(in) >= taken) {
                    throw new EndOfStreamException("enough");
                  }
                })
        .build();
  }

  private static void endsWithTheCause(Faults faults, Flow flow) throws Exception {
    FlowRun run = flow.start();
    try {
      assertTrue(run.await(Duration.ofSeconds(60)), "ends");
      assertEquals(null, faults.thrown, "has thrown, and nobody was told");
    } catch (FlowException e) {
      assertTrue(faults.thrown != null, () -> "nothing was thrown, but: " + e);
      if (!faults.forever) {
        assertEquals(faults.thrown, e.getCause());
      } else {
        assertInstanceOf(faults.thrown.getClass(), e.getCause());
      }
    }
    assertEquals(faults.opened, faults.closed, "closes what was opened");
    assertTrue(run.isDone());
  }

  @Property(tries = 200)
  void theFlowEndsWithTheCause(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    long taken = random.nextBoolean() ? Long.MAX_VALUE : 40;
    // There are about two thousand calls, more where somebody has to wait; few of the first are
    // special.
    long failing = random.nextInt(4) == 0 ? random.nextLong(1, 20) : random.nextLong(20, 2500);
    Faults faults = new Faults(failing, random.nextBoolean(), random.nextBoolean());
    endsWithTheCause(faults, flow(faults, seed, taken));
  }

  /// The flow has six streams, each of which is opened, prepared, ended and closed once.
  @Test
  void nothingIsLeftWhereAStreamFailsToBeginOrEnd() throws Exception {
    long jbufs = Jbuf.use().count();
    for (String method : List.of("open", "prepare", "sendEnd", "close")) {
      for (long call = 1; call <= 6; call++) {
        Faults faults = new Faults(method, call, call % 2 == 0, false);
        endsWithTheCause(faults, flow(faults, 1, Long.MAX_VALUE));
        assertTrue(faults.thrown != null, method + " has not failed");
      }
    }
    FailureTest.assertNothingIsLeft("faulty", jbufs);
  }

  @Test
  void namesTheStreamThatCouldNotBeOpened() {
    List<String> opened = new ArrayList<>();
    FlowException failure =
        assertThrows(
            FlowException.class,
            () ->
                Numbers.run(
                    Flow.named("opens")
                        .source("count", Numbers.counting(0, 1))
                        .drain(
                            "count",
                            place -> {
                              opened.add(place.name());
                              throw new IOException("no such wire");
                            })
                        .build()));
    assertEquals(List.of("count[0]->drain[0]"), opened);
    assertEquals(FlowException.Phase.OPEN, failure.phase());
    assertEquals(
        "flow opens failed: stage count, replica 0, in opening stream count[0]->drain[0]:"
            + " java.io.IOException: no such wire",
        failure.getMessage());
  }
}
