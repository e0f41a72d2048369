package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Operation.Use;
import dev.tigris.memory.Jbuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Flows that are grown, and shrink, while they run.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FlowEngineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Operations on an engine, each waited for.
  private static final class Driver {
    final FlowEngine engine;
    private int streams;

    Driver(Flow flow) {
      this.engine = flow.engine();
    }

    Answer apply(Operation operation) throws Exception {
      return engine.apply(operation).get(60, TimeUnit.SECONDS);
    }

    void applied(Operation operation) throws Exception {
      assertEquals(Answer.APPLIED, apply(operation), operation::toString);
    }

    void refused(String why, Operation operation) {
      var thrown = assertThrows(ExecutionException.class, () -> apply(operation));
      IllegalStateException refusal =
          assertInstanceOf(IllegalStateException.class, thrown.getCause());
      assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }

    End create(String stage, int index) throws Exception {
      End module = new End(stage, index);
      applied(new Operation.CreateModule(module));
      return module;
    }

    String stream(End from, End to) throws Exception {
      return stream(from, to, StreamKind.memory());
    }

    String stream(End from, End to, StreamKind kind) throws Exception {
      String name = from + "->" + to;
      applied(
          new Operation.CreateStream(name, streams++, Use.RESERVOIR, to.name(), from, to, kind, 4));
      return name;
    }

    /// Attaches a stream at both ends, the receiving one first.
    String join(End from, End to) throws Exception {
      String name = stream(from, to);
      applied(new Operation.AttachInput(to, name));
      applied(new Operation.AttachOutput(from, name));
      return name;
    }

    void start(End... modules) throws Exception {
      for (End module : modules) {
        applied(new Operation.Initialize(module));
      }
      for (End module : modules) {
        applied(new Operation.Start(module));
      }
    }

    void await() throws Exception {
      assertTrue(engine.await(PATIENCE), engine::toString);
    }
  }

  private static Flow counting(Numbers.Collected collected, AtomicBoolean more) {
    return Flow.named("grown")
        .source(
            "count",
            () ->
                new Source() {
                  private long next;

                  @Override
                  public void init(ModuleContext context) {
                    next = context.replica() * 1_000_000_000L;
                  }

                  @Override
                  public boolean produce(Stream out) {
                    Numbers.put(out, next++);
                    return more.get();
                  }
                })
        .reservoir(Reservoir.lottery())
        .stage("collect", collected.module())
        .build();
  }

  private static void awaitCount(Numbers.Collected collected, long atLeast) {
    while (collected.count() < atLeast) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aStageGrowsAndShrinksWhileItRunsAndNothingIsLost() throws Exception {
    long jbufs = Jbuf.use().count();
    Numbers.Collected collected = new Numbers.Collected();
    AtomicBoolean more = new AtomicBoolean(true);
    Driver driver = new Driver(counting(collected, more));
    End source = driver.create("count", 0);
    End first = driver.create("collect", 0);
    String leaving = driver.join(source, first);
    driver.start(first, source);
    awaitCount(collected, 100);

    // Another receiver comes, and the first one leaves.
    End second = driver.create("collect", 1);
    driver.start(second);
    driver.join(source, second);
    driver.applied(new Operation.SealInputs(second));
    driver.applied(new Operation.EndOutput(source, leaving));
    driver.applied(new Operation.SealInputs(first));
    long before = collected.count();
    awaitCount(collected, before + 100);

    // Another sender comes, to a receiver whose list was sealed before.
    End other = driver.create("count", 1);
    driver.applied(new Operation.ReserveInputs(second));
    driver.join(other, second);
    driver.applied(new Operation.SealInputs(second));
    driver.start(other);
    more.set(false);
    driver.engine.seal();
    driver.await();
    FlowSnapshot snapshot = driver.engine.snapshot();
    assertEquals(FlowSnapshot.State.DONE, snapshot.state());
    long sent = snapshot.streams().stream().mapToLong(stream -> stream.counters().waters()).sum();
    assertEquals(sent, collected.count());
    assertEquals(sent, collected.sorted().stream().distinct().count());
    for (FlowSnapshot.Channel channel : snapshot.streams()) {
      assertEquals(0, channel.counters().discarded(), channel.name());
    }
    FailureTest.assertNothingIsLeft("grown", jbufs);
  }

  @Test
  void aModuleWhoseInputsMayBeMoreDoesNotFinish() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    Driver driver =
        new Driver(
            Flow.named("sealed")
                .source("one", () -> out -> false)
                .reservoir(Reservoir.random())
                .stage("end", () -> new Numbers.Finishing(finished))
                .build());
    End end = driver.create("end", 0);
    driver.start(end);
    assertEquals(0, finished.get(), "no input yet, but more may come");
    for (int i = 0; i < 3; i++) {
      End source = driver.create("one", i);
      driver.join(source, end);
      driver.start(source);
      while (driver.apply(new Operation.Stop(source)) != Answer.ENDED) {
        Thread.onSpinWait();
      }
      // It has seen the end by the time that it applies this.
      driver.applied(new Operation.ReserveInputs(end));
      driver.applied(new Operation.SealInputs(end));
      assertEquals(0, finished.get(), "all inputs have ended, and more may come");
    }
    driver.applied(new Operation.SealInputs(end));
    driver.engine.seal();
    driver.await();
    assertEquals(1, finished.get());
  }

  @Test
  void whatComesTooLateIsAnsweredByEnded() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Driver driver = new Driver(counting(collected, new AtomicBoolean(false)));
    End source = driver.create("count", 0);
    End sink = driver.create("collect", 0);
    driver.join(source, sink);
    driver.applied(new Operation.SealInputs(sink));
    driver.start(sink, source);
    awaitCount(collected, 1);
    while (driver.apply(new Operation.Stop(source)) != Answer.ENDED) {
      Thread.onSpinWait();
    }
    End late = driver.create("collect", 1);
    String stream = driver.stream(source, late);
    driver.applied(new Operation.AttachInput(late, stream));
    assertEquals(Answer.ENDED, driver.apply(new Operation.AttachOutput(source, stream)));
    driver.applied(new Operation.Drop(late));
    driver.engine.seal();
    driver.await();
    assertEquals(Answer.ENDED, driver.apply(new Operation.CreateModule(new End("collect", 2))));
    assertEquals(1, collected.count());
  }

  private static Operation created(
      String name, int number, Use use, String reservoir, End from, End to) {
    return new Operation.CreateStream(
        name, number, use, reservoir, from, to, StreamKind.memory(), 1);
  }

  @Test
  void refusesWhatDoesNotFit() throws Exception {
    Driver driver = new Driver(counting(new Numbers.Collected(), new AtomicBoolean(false)));
    FlowEngine engine = driver.engine;
    End source = driver.create("count", 0);
    End sink = driver.create("collect", 0);
    String stream = driver.stream(source, sink);
    driver.refused("initialize it first", new Operation.Start(source));
    driver.refused("attach it first", new Operation.EndOutput(source, stream));
    driver.refused("is a source", new Operation.ReserveInputs(source));
    driver.applied(new Operation.Initialize(sink));
    driver.applied(new Operation.SealInputs(sink));
    driver.refused("its input list is sealed", new Operation.AttachInput(sink, stream));
    driver.refused("was initialized before", new Operation.Initialize(sink));
    driver.applied(new Operation.AttachOutput(source, stream));
    driver.refused("has the output", new Operation.AttachOutput(source, stream));
    End other = driver.create("collect", 1);
    String twice = driver.stream(source, other);
    driver.applied(new Operation.AttachInput(other, twice));
    driver.refused("has the input", new Operation.AttachInput(other, twice));
    for (Operation wrong :
        List.of(
            new Operation.CreateModule(source),
            new Operation.CreateModule(new End("nowhere", 0)),
            new Operation.Start(new End("count", 7)),
            new Operation.AttachInput(source, stream),
            new Operation.AttachOutput(source, "no such stream"),
            created(stream, 9, Use.RESERVOIR, "collect", source, sink),
            created("of a used number", 0, Use.RESERVOIR, "collect", source, sink),
            created("new", 9, Use.RESERVOIR, "no such reservoir", source, sink),
            created("new", 9, Use.RESERVOIR, "collect", sink, source),
            created("new", 9, Use.FEED, "collect", source, sink),
            created("new", 9, Use.DRAIN, "drain", sink, new End("drain", 0)))) {
      assertThrows(IllegalArgumentException.class, () -> engine.apply(wrong), wrong::toString);
    }
    engine.cancel();
    assertThrows(CancellationException.class, engine::await);
  }

  /// Keeps what it gets until it is told to finish.
  private static final class Hoarder implements Module {
    private final List<Water> kept = new ArrayList<>();
    private final CountDownLatch some;

    Hoarder(CountDownLatch some) {
      this.some = some;
    }

    @Override
    public void process(Water in, Stream out) {
      in.keep();
      kept.add(in);
      some.countDown();
    }

    @Override
    public void finish(Stream out) {
      kept.forEach(out::put);
    }
  }

  private static Flow hoarding(CountDownLatch some, Numbers.Collected collected) {
    return Flow.named("hoarding")
        .source("count", Numbers.counting(0, 1000))
        .reservoir(Reservoir.random())
        .stage("hoard", () -> new Hoarder(some))
        .reservoir(Reservoir.random())
        .stage("collect", collected.module())
        .build();
  }

  /// A flow whose middle module has taken something, and can have more.
  private static Driver hoard(CountDownLatch some, Numbers.Collected collected) throws Exception {
    Driver driver = new Driver(hoarding(some, collected));
    End source = driver.create("count", 0);
    End hoard = driver.create("hoard", 0);
    End collect = driver.create("collect", 0);
    driver.join(source, hoard);
    driver.join(hoard, collect);
    driver.applied(new Operation.SealInputs(collect));
    driver.start(collect, hoard, source);
    driver.engine.seal();
    assertTrue(some.await(60, TimeUnit.SECONDS));
    return driver;
  }

  @Test
  void aStoppedModuleFinishesWhatItHolds() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Driver driver = hoard(new CountDownLatch(5), collected);
    driver.applied(new Operation.Stop(new End("hoard", 0)));
    driver.await();
    List<FlowSnapshot.Channel> streams = driver.engine.snapshot().streams();
    assertTrue(collected.count() >= 5);
    assertEquals(streams.get(0).counters().taken(), collected.count());
    StreamCounters first = streams.get(0).counters();
    assertEquals(first.waters(), first.taken() + first.discards().onTheirWay());
    assertEquals(0, first.discards().lost());
  }

  @Test
  void aDroppedModuleEndsAtOnce() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Driver driver = hoard(new CountDownLatch(5), collected);
    driver.applied(new Operation.Drop(new End("hoard", 0)));
    driver.await();
    assertEquals(0, collected.count());
    assertEquals(FlowSnapshot.State.DONE, driver.engine.snapshot().state());
  }

  @Test
  void aModuleThatWaitsInACallCanBeDropped() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    AtomicBoolean isStopping = new AtomicBoolean();
    Driver driver =
        new Driver(
            Flow.named("drop")
                .source(
                    "stuck",
                    () ->
                        new Source() {
                          private ModuleContext context;

                          @Override
                          public void init(ModuleContext moduleContext) {
                            context = moduleContext;
                          }

                          @Override
                          public boolean produce(Stream out) throws Exception {
                            busy.countDown();
                            try {
                              new CountDownLatch(1).await();
                            } finally {
                              isStopping.set(context.isStopping());
                            }
                            return true;
                          }
                        })
                .source("full", Numbers.counting(0, Long.MAX_VALUE))
                .connect("full", "never", Reservoir.routed())
                .stage("never", () -> (in, out) -> {})
                .build());
    End stuck = driver.create("stuck", 0);
    End full = driver.create("full", 0);
    End never = driver.create("never", 0);
    driver.join(full, never);
    driver.start(stuck, full);
    busy.await();
    driver.applied(new Operation.Drop(stuck));
    assertTrue(isStopping.get());
    while (driver.engine.snapshot().streams().getFirst().counters().waters() < 4) {
      Thread.onSpinWait();
    }
    driver.applied(new Operation.Drop(full));
    driver.applied(new Operation.Drop(never));
    driver.engine.seal();
    driver.await();
  }

  @Test
  void aFlowWithoutModulesIsOverWhenItIsSealedOrCancelled() throws Exception {
    Flow flow = counting(new Numbers.Collected(), new AtomicBoolean());
    FlowEngine sealed = flow.engine();
    assertFalse(sealed.await(Duration.ZERO));
    sealed.seal();
    assertTrue(sealed.await(PATIENCE));
    FlowEngine cancelled = flow.engine();
    cancelled.cancel();
    assertThrows(CancellationException.class, cancelled::await);
  }
}
