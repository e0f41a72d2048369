package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What happens when something goes wrong, at every place where it can, and that nothing is left.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FailureTest {
  enum Phase {
    CONSTRUCTOR,
    INIT,
    WORK,
    FINISH,
    DESTROY
  }

  private static final class Boom extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Boom() {
      super("boom");
    }
  }

  /// Counts lives, and fails in one phase.
  private static final class Counting {
    private final @Nullable Phase failing;
    private final AtomicInteger inits = new AtomicInteger();
    private final AtomicInteger destroys = new AtomicInteger();

    Counting(@Nullable Phase failing) {
      this.failing = failing;
    }

    private void enter(Phase phase) {
      if (phase == failing) {
        throw new Boom();
      }
    }

    Module module() {
      enter(Phase.CONSTRUCTOR);
      return new Module() {
        private int processed;

        @Override
        public void init(ModuleContext context) {
          inits.incrementAndGet();
          enter(Phase.INIT);
        }

        @Override
        public void process(Water in, Stream out) {
          if (++processed == 20) {
            enter(Phase.WORK);
          }
          out.put(in);
        }

        @Override
        public void finish(Stream out) {
          enter(Phase.FINISH);
        }

        @Override
        public void destroy() {
          destroys.incrementAndGet();
          enter(Phase.DESTROY);
        }
      };
    }

    Source source() {
      Module module = module();
      return new Source() {
        private int produced;

        @Override
        public void init(ModuleContext context) throws Exception {
          module.init(context);
        }

        @Override
        public boolean produce(Stream out) throws Exception {
          Water water = out.spring().createWater(8);
          module.process(water, out);
          return ++produced < 1000;
        }

        @Override
        public void finish(Stream out) throws Exception {
          module.finish(out);
        }

        @Override
        public void destroy() throws Exception {
          module.destroy();
        }
      };
    }
  }

  static void assertNothingIsLeft(String flow, long jbufsBefore) {
    List<String> threads =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.startsWith("tigris-" + flow))
            .toList();
    assertEquals(List.of(), threads);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (Jbuf.use().count() > jbufsBefore && System.nanoTime() < deadline) {
      System.gc();
    }
    assertTrue(Jbuf.use().count() <= jbufsBefore, () -> "left: " + Jbuf.use());
  }

  @ParameterizedTest
  @EnumSource(Phase.class)
  void aModuleThatFailsFailsTheFlow(Phase phase) {
    long jbufs = Jbuf.use().count();
    Counting source = new Counting(null);
    Counting failing = new Counting(phase);
    Counting after = new Counting(null);
    FlowRun run =
        Flow.named("fails")
            .source("source", source::source, 2)
            .reservoir(Reservoir.lottery().withWindow(2))
            .stage("failing", failing::module, 2)
            .reservoir(Reservoir.random())
            .stage("after", after::module, 2)
            .drain("after", Reservoir.random(), Sink::new, Sink::new)
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertInstanceOf(Boom.class, failure.getCause());
    assertEquals("failing", failure.stage());
    assertEquals(phase == Phase.WORK ? "PROCESS" : phase.name(), failure.phase().name());
    assertTrue(failure.getMessage().startsWith("flow fails failed: stage failing, replica "));
    assertTrue(failure.getMessage().endsWith("boom"), failure.getMessage());
    FlowException again = assertThrows(FlowException.class, run::await);
    assertEquals(failure.getMessage(), again.getMessage(), "says so again");
    assertSame(failure.getCause(), again.getCause());
    assertTrue(CancellationTest.isOf(FailureTest.class, failure), "where it was waited for");
    assertEquals(FlowSnapshot.State.FAILED, run.snapshot().state());
    for (Counting stage : List.of(source, failing, after)) {
      assertEquals(stage.inits.get(), stage.destroys.get(), "destroys what was init'ed");
    }
    assertNothingIsLeft("fails", jbufs);
  }

  @ParameterizedTest
  @EnumSource(Phase.class)
  void aSourceThatFailsFailsTheFlow(Phase phase) {
    long jbufs = Jbuf.use().count();
    Counting source = new Counting(phase);
    FlowRun run =
        Flow.named("fails-early")
            .source("source", source::source, 2)
            .reservoir(Reservoir.lottery().withWindow(2))
            .stage("sink", () -> (in, out) -> {}, 2)
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertEquals("source", failure.stage());
    assertEquals(phase == Phase.WORK ? "PRODUCE" : phase.name(), failure.phase().name());
    assertInstanceOf(Boom.class, failure.getCause());
    assertEquals(source.inits.get(), source.destroys.get());
    assertNothingIsLeft("fails-early", jbufs);
  }

  /// Swallows what is put on it.
  private static final class Sink extends Stream {
    private final BufferSpring spring = new BufferSpring("sink");
    private final Consumer<Boolean> closing;

    Sink(StreamKind.Place place) {
      this(place, complete -> {});
    }

    Sink(StreamKind.Place place, Consumer<Boolean> closing) {
      super(place.name(), place.window());
      this.closing = closing;
    }

    @Override
    public Spring spring() {
      return spring;
    }

    @Override
    public int outstanding() {
      return 0;
    }

    @Override
    public boolean isReady() {
      return false;
    }

    @Override
    public boolean isDrained() {
      return true;
    }

    @Override
    protected boolean canCarry(Water water) {
      return true;
    }

    @Override
    protected void send(Water water) {
      countFinished();
      water.returnHome();
    }

    @Override
    protected void sendEnd() {}

    @Override
    protected @Nullable Water receive() {
      return null;
    }

    @Override
    protected void release(Water water) {}

    @Override
    protected void leave(Water water) {}

    @Override
    protected void dispose(boolean complete) {
      spring.close();
      closing.accept(complete);
    }
  }

  /// A flow that drains into sinks.
  private static Flow draining(StreamKind... sinks) {
    return Flow.named("drains")
        .source("source", Numbers.counting(0, 10))
        .drain("source", Reservoir.random(), sinks)
        .build();
  }

  /// All had been prepared: the others are not deleted because of one that has a mistake.
  @Test
  void endsAndClosesTheOthersWhenAStreamThrowsAnErrorAsItIsClosed() {
    List<Boolean> closed = new ArrayList<>();
    Error error = new AssertionError("a kind of streams with a mistake in it");
    StreamKind wrong =
        place ->
            new Sink(
                place,
                complete -> {
                  throw error;
                });
    FlowRun run = draining(wrong, place -> new Sink(place, closed::add)).start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertSame(error, failure.getCause());
    assertEquals(List.of(true), closed);
  }

  @Test
  void closesTheOthersWhenAStreamThrowsAnErrorAsItIsOpened() {
    List<Boolean> closed = new ArrayList<>();
    Error error = new AssertionError("a kind of streams with a mistake in it");
    FlowRun run =
        draining(
                place -> new Sink(place, closed::add),
                place -> {
                  throw error;
                })
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertSame(error, failure.getCause());
    assertEquals(List.of(false), closed);
  }

  @Test
  void aCancelThatComesTooLateLeavesNoPartOfTheOutputBehind() throws Exception {
    List<Boolean> closed = new ArrayList<>();
    CompletableFuture<FlowRun> run = new CompletableFuture<>();
    StreamKind cancelling =
        place ->
            new Sink(
                place,
                complete -> {
                  closed.add(complete);
                  run.join().cancel();
                });
    run.complete(draining(cancelling, place -> new Sink(place, closed::add)).start());
    run.join().await();
    assertEquals(List.of(true, true), closed);
    assertEquals(FlowSnapshot.State.DONE, run.join().snapshot().state());
  }

  @Test
  void noModuleWorksBeforeAllAreReady() {
    AtomicInteger worked = new AtomicInteger();
    FlowRun run =
        Flow.named("ready")
            .source(
                "eager",
                () ->
                    out -> {
                      worked.incrementAndGet();
                      return true;
                    })
            .reservoir(Reservoir.random())
            .stage("late", new Counting(Phase.INIT)::module)
            .build()
            .start();
    assertThrows(FlowException.class, run::await);
    assertEquals(0, worked.get());
  }

  @Test
  void laterFailuresAreSuppressedInTheFirst() {
    CountDownLatch both = new CountDownLatch(2);
    FlowRun run =
        Flow.named("two")
            .source(
                "boom",
                () ->
                    out -> {
                      both.countDown();
                      while (both.getCount() > 0) {
                        Thread.onSpinWait();
                      }
                      throw new Boom();
                    },
                2)
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertEquals(1, failure.getSuppressed().length);
  }

  @Test
  void aFailureWhileAConsumerDoesNotMoveEndsEverything() {
    long jbufs = Jbuf.use().count();
    CountDownLatch stuck = new CountDownLatch(1);
    FlowRun run =
        Flow.named("stuck")
            .source("forever", Numbers.counting(0, Long.MAX_VALUE))
            .reservoir(Reservoir.roundRobin().withWindow(1))
            .stage(
                "work",
                () ->
                    (in, out) -> {
                      if (Numbers.number(in) == 0) {
                        stuck.countDown();
                        new CountDownLatch(1).await();
                      }
                      stuck.await();
                      throw new Boom();
                    },
                2)
            .build()
            .start();
    assertInstanceOf(Boom.class, assertThrows(FlowException.class, run::await).getCause());
    assertNothingIsLeft("stuck", jbufs);
  }

  @Test
  void anErrorIsAFailureToo() {
    FlowRun run =
        Flow.named("error")
            .source(
                "source",
                () ->
                    out -> {
                      throw new AssertionError("no");
                    })
            .build()
            .start();
    assertInstanceOf(
        AssertionError.class, assertThrows(FlowException.class, run::await).getCause());
  }
}
