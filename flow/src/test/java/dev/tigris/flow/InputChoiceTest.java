package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.Operation.End;
import dev.tigris.flow.policy.InputPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A module takes from its inputs as the policy of its stage says. All is made step by step.
class InputChoiceTest {
  private static final int WATERS = 3;
  private static final End A = new End("a", 0);
  private static final End B = new End("b", 0);
  private static final End TAKE = new End("take", 0);

  private final List<String> taken = new ArrayList<>();

  /// Puts all of its waters in one call, and ends.
  private static Source all() {
    return out -> {
      for (int i = 0; i < WATERS; i++) {
        Numbers.put(out, i);
      }
      return false;
    };
  }

  private final class Take implements Module {
    private ModuleContext context;

    @Override
    public void init(ModuleContext its) {
      context = its;
    }

    @Override
    public void process(Water in, Stream out) {
      taken.add(context.from() + in.bytes().getLong(0));
    }
  }

  /// Starts a flow whose sources have put nothing yet.
  private SteppedEngine start(InputPolicy policy) {
    SteppedEngine stepped =
        SteppedEngine.of(
            Flow.named("choice")
                .source("a", InputChoiceTest::all)
                .source("b", InputChoiceTest::all)
                .stage("take", Take::new)
                .inputs(policy)
                .connect("a", "take", Reservoir.roundRobin())
                .connect("b", "take", Reservoir.roundRobin())
                .build());
    stepped.start();
    for (int i = 0; i < 3; i++) { // attach and seal, initialize, start
      for (End module : List.of(A, B, TAKE)) {
        boolean _ = stepped.step(module);
      }
    }
    return stepped;
  }

  private static void runToTheEnd(SteppedEngine stepped) {
    while (!stepped.engine().isDone()) {
      for (End module : List.of(A, B, TAKE)) {
        boolean _ = stepped.step(module);
      }
    }
  }

  private void requireOrder(InputPolicy policy, String... expected) {
    SteppedEngine stepped = start(policy);
    boolean _ = stepped.step(A);
    boolean _ = stepped.step(B);
    assertEquals(List.of(), taken);
    runToTheEnd(stepped);
    assertEquals(List.of(expected), taken);
  }

  @Test
  void inTurn() {
    requireOrder(InputPolicy.roundRobin(), "a0", "b0", "a1", "b1", "a2", "b2");
  }

  @Test
  void byPriority() {
    requireOrder(InputPolicy.byPriority("b", "a"), "b0", "b1", "b2", "a0", "a1", "a2");
  }

  @Test
  void byAPolicyOfTheUsersOwn() {
    InputPolicy lastReady =
        (view, random) -> {
          for (int input = view.inputs() - 1; ; input--) {
            if (view.isReady(input)) {
              return input;
            }
          }
        };
    requireOrder(lastReady, "b0", "b1", "b2", "a0", "a1", "a2");
  }

  @Test
  void theOldestFirst() {
    SteppedEngine stepped = start(InputPolicy.oldestFirst());
    boolean _ = stepped.step(B);
    boolean _ = stepped.step(TAKE);
    boolean _ = stepped.step(A);
    runToTheEnd(stepped);
    assertEquals(List.of("b0", "b1", "a0", "b2", "a1", "a2"), taken);
  }
}
