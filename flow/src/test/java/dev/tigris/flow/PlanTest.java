package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/// The steps in which a part of a flow grows, each waiting for the other processes.
class PlanTest {
  private final List<String> done = new ArrayList<>();
  private final CompletableFuture<Void> allJoined = new CompletableFuture<>();
  private final CompletableFuture<Void> allInitialized = new CompletableFuture<>();
  private final SteppedEngine engine =
      SteppedEngine.of(
          Flow.named("steps")
              .source("make", Maker::new, 2)
              .reservoir(Reservoir.random())
              .stage("take", () -> (in, out) -> {})
              .build());

  /// All of the flow, whose other processes are as far as the test says.
  private final class Gated implements FlowPart {
    @Override
    public boolean isHere(Operation.End replica) {
      return true;
    }

    @Override
    public StreamKind kind(Link link) {
      throw new IllegalStateException("both ends of " + link + " are here");
    }

    @Override
    public CompletionStage<Void> joined() {
      done.add("joined");
      return allJoined;
    }

    @Override
    public CompletionStage<Void> initialized() {
      done.add("initialized");
      return allInitialized;
    }
  }

  private final class Maker implements Source {
    Maker() {
      done.add("constructor");
    }

    @Override
    public void init(ModuleContext context) {
      done.add("init");
    }

    @Override
    public boolean produce(Stream out) {
      done.add("produce");
      return false;
    }
  }

  /// Makes all steps that can be made, and returns what they have done.
  private List<String> goOn() {
    for (boolean isMoving = true; isMoving; ) {
      isMoving = false;
      for (Operation.End module : engine.modules()) {
        isMoving |= engine.step(module);
      }
    }
    List<String> now = List.copyOf(done);
    done.clear();
    return now;
  }

  @Test
  void eachStepWaitsForTheOtherProcesses() {
    engine.start(new Gated());
    assertEquals(List.of("joined"), goOn());
    allJoined.complete(null);
    assertEquals(List.of("constructor", "init", "constructor", "init", "initialized"), goOn());
    allInitialized.complete(null);
    assertEquals(List.of("produce", "produce"), goOn());
    assertTrue(engine.modules().isEmpty());
  }

  @Test
  void whatFailsElsewhereStartsNoModule() {
    engine.start(new Gated());
    allJoined.complete(null);
    assertFalse(goOn().isEmpty());
    allInitialized.completeExceptionally(new IllegalStateException("an init elsewhere has thrown"));
    assertEquals(List.of(), goOn());
    assertTrue(engine.modules().isEmpty());
    assertTrue(engine.engine().isDone());
  }
}
