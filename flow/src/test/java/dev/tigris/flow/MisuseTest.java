package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a module must not do; most of it would otherwise be waited for without end.
@Timeout(60)
class MisuseTest {
  private static void assertRefused(String why, Flow flow) {
    FlowException failure = assertThrows(FlowException.class, () -> Numbers.run(flow));
    assertInstanceOf(IllegalStateException.class, failure.getCause());
    assertTrue(failure.getMessage().contains(why), failure.getMessage());
  }

  private static Flow flow(Supplier<Module> module) {
    return Flow.named("misuse")
        .source("count", Numbers.counting(0, 100_000))
        .reservoir(Reservoir.lottery())
        .stage("module", module, 2)
        .build();
  }

  @Test
  void saysThatAKindOfStreamHasOpenedNone() {
    Flow flow =
        Flow.named("misuse")
            .source("count", Numbers.counting(0, 10))
            .drain("count", Reservoir.roundRobin(), place -> null)
            .build();
    FlowException failure = assertThrows(FlowException.class, () -> Numbers.run(flow));
    assertTrue(
        failure.getMessage().contains("returned null instead of a stream"), failure.getMessage());
  }

  @Test
  void refusesWatersOfAFileThatAreLongerThanTheyMayBe() {
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> FileStream.reading(Path.of("any"), Integer.MAX_VALUE));
    assertTrue(refusal.getMessage().contains("1 to 2147483584"), refusal.getMessage());
  }

  /// A module that has what it is given from its context.
  private abstract static class Knowing implements Module {
    ModuleContext context;

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
    }
  }

  /// Whoever sends on that stream does so at the same time, and neither would notice.
  @Test
  void saysThatAModulePutsItsInputBack() {
    assertRefused(
        "which is an input of this module",
        flow(
            () ->
                new Knowing() {
                  @Override
                  public void process(Water in, Stream out) {
                    context.inputs().getFirst().put(in);
                  }
                }));
  }

  @Test
  void saysThatAModuleTakesFromItsOwnOutput() {
    assertRefused(
        "which is an output of this module",
        Flow.named("misuse")
            .source("count", () -> out -> out.poll() == null)
            .reservoir(Reservoir.lottery())
            .stage("module", () -> (in, out) -> {})
            .build());
  }

  @Test
  void saysThatAModulePutsOnTheInputOfAnother() {
    var ready = new CompletableFuture<Stream>();
    var never = new CompletableFuture<Stream>();
    assertRefused(
        "at an end of the stream that belongs to another module",
        flow(
            () ->
                new Knowing() {
                  @Override
                  public void process(Water in, Stream out) throws Exception {
                    if (ready.complete(context.inputs().getFirst())) {
                      never.get();
                    }
                    while (true) {
                      Numbers.put(ready.get(), 1);
                    }
                  }
                }));
  }

  @Test
  void saysThatInitPutsMoreThanThereIsCreditFor() {
    assertRefused(
        "no water moves",
        Flow.named("misuse")
            .source(
                "eager",
                () ->
                    new Source() {
                      @Override
                      public void init(ModuleContext context) {
                        for (int i = 0; i < 3; i++) {
                          Numbers.put(context.route(0), i);
                        }
                      }

                      @Override
                      public boolean produce(Stream out) {
                        return false;
                      }
                    })
            .reservoir(Reservoir.lottery().withWindow(2))
            .stage("collect", new Numbers.Collected().module())
            .build());
  }

  @Test
  void saysThatInitWaitsForAWater() {
    assertRefused(
        "no water moves",
        flow(
            () ->
                new Module() {
                  @Override
                  public void init(ModuleContext context) {
                    assertNull(context.inputs().getFirst().get(), "there is nothing to wait for");
                  }

                  @Override
                  public void process(Water in, Stream out) {}
                }));
  }

  @Test
  void saysThatAModuleAwaitsItsOwnFlow() {
    var run = new CompletableFuture<FlowRun>();
    FlowRun started = flow(() -> (in, out) -> run.get().await()).start();
    run.complete(started);
    FlowException failure = assertThrows(FlowException.class, started::await);
    assertTrue(
        failure.getMessage().contains("waits for the end of its own flow"), failure.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, Integer.MAX_VALUE})
  void saysWhichRoutesThereAre(int route) {
    FlowException failure =
        assertThrows(
            FlowException.class,
            () ->
                Numbers.run(
                    Flow.named("astray")
                        .source(
                            "astray",
                            () ->
                                new Source() {
                                  @Override
                                  public void init(ModuleContext context) {
                                    context.route(route);
                                  }

                                  @Override
                                  public boolean produce(Stream out) {
                                    return false;
                                  }
                                })
                        .reservoir(Reservoir.routed())
                        .stage("sink", new Numbers.Collected().module(), 2)
                        .build()));
    assertTrue(
        failure.getMessage().contains("reservoir sink has no route " + route + ": it has 2"),
        failure.getMessage());
  }

  /// A kind of stream that says what is not so.
  private static final class NeverReady extends LockedStream {
    NeverReady(StreamKind.Place place) {
      super(place);
    }

    @Override
    public boolean isReady() {
      return true;
    }
  }

  @Test
  void saysThatAStreamIsReadyAndGivesNothing() {
    Flow flow =
        Flow.named("misuse")
            .source("wait", () -> out -> !Thread.interrupted())
            .reservoir(Reservoir.routed().withKind(NeverReady::new))
            .stage("take", () -> (in, out) -> {})
            .build();
    assertRefused("is ready but gave no water", flow);
    Stream stream = new NeverReady(new StreamKind.Place("alone", 1));
    assertThrows(IllegalStateException.class, stream::get);
  }

  /// Both of its users would write to it.
  @Test
  void refusesAWaterThatIsGivenBackTwice() {
    BufferSpring spring = new BufferSpring("twice");
    Water water = spring.createWater(8);
    water.returnHome();
    assertThrows(IllegalStateException.class, water::returnHome);
    assertThrows(IllegalStateException.class, () -> spring.takeBack(water));
    assertSame(water, spring.createWater(8));
    assertNotSame(water, spring.createWater(8));
    spring.close();
  }

  @Test
  void refusesAWaterThatIsGivenBackByTheModuleItIsLentTo() {
    assertRefused("release() it there", flow(() -> (in, out) -> in.returnHome()));
  }

  @Test
  void refusesAStreamThatGivesAWaterBackTwice() {
    final class Twice extends LockedStream {
      Twice(StreamKind.Place place) {
        super(place);
      }

      @Override
      protected void release(Water water) {
        super.release(water);
        water.returnHome();
      }
    }
    assertRefused(
        "was given back before",
        Flow.named("misuse")
            .source("count", Numbers.counting(0, 1)) // nobody uses it again between the two
            .reservoir(Reservoir.lottery().withKind(Twice::new))
            .stage("take", () -> (in, out) -> {})
            .build());
  }

  /// Whoever gives a water back that is on a stream is told so later, and the stream goes on.
  @Test
  void keepsItsCreditsWhenAWaterWasGivenBackBefore() {
    for (int window : new int[] {1, 4}) {
      MemoryStream first = new MemoryStream(new StreamKind.Place("first", window));
      MemoryStream second = new MemoryStream(new StreamKind.Place("second", window));
      Water water = first.spring().createWater(8);
      second.put(water);
      water.returnHome();
      Water got = second.poll();
      assertNotNull(got);
      assertThrows(IllegalStateException.class, got::release);
      for (long i = 0; i < 10; i++) {
        assertEquals(window, second.credits());
        Water next = second.spring().createWater(8);
        next.bytes().setLong(0, i);
        second.put(next);
        Water same = second.poll();
        assertNotNull(same);
        assertEquals(i, same.bytes().getLong(0));
        same.release();
        second.checkInvariants();
      }
    }
  }
}
