package dev.tigris.flow.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class InputPolicyTest {
  private final SplittableRandom random = new SplittableRandom(1);
  private final ReceiverState state = new ReceiverState();

  InputPolicyTest() {
    assertEquals(0, state.add("left"));
    assertEquals(1, state.add("right"));
    assertEquals(2, state.add("left"));
  }

  private String choices(InputPolicy policy, int times) {
    StringBuilder chosen = new StringBuilder();
    for (int i = 0; i < times; i++) {
      int input = policy.choose(state, random);
      chosen.append(input).append(' ');
      if (input >= 0) {
        state.taken(input);
      }
    }
    return chosen.toString();
  }

  private void readyAt(long nanos, int input) {
    state.time(nanos);
    state.ready(input, true);
  }

  @Test
  void takesFromTheReadyOnesInTurn() {
    assertEquals("-1 ", choices(InputPolicy.roundRobin(), 1));
    readyAt(5, 0);
    readyAt(5, 2);
    assertEquals("0 2 0 ", choices(InputPolicy.roundRobin(), 3));
    state.ready(0, false);
    assertEquals("2 2 ", choices(InputPolicy.roundRobin(), 2));
  }

  @Test
  void takesFromWhatIsReadyForLongest() {
    readyAt(10, 2);
    readyAt(20, 1);
    readyAt(30, 0);
    state.time(40);
    assertEquals(30, state.readyNanos(2));
    assertEquals("2 1 0 ", choices(InputPolicy.oldestFirst(), 3));
  }

  @Test
  void takesFromWhatIsMoreUrgentAndElseInTurn() {
    readyAt(1, 0);
    readyAt(2, 1);
    readyAt(3, 2);
    assertEquals("1 1 ", choices(InputPolicy.byPriority("right", "left"), 2));
    assertEquals("2 0 2 ", choices(InputPolicy.byPriority("left"), 3));
    state.ready(0, false);
    state.ready(2, false);
    assertEquals("1 ", choices(InputPolicy.byPriority("left"), 1));
  }

  @Test
  void knowsWhatIsOpenAndReady() {
    assertFalse(state.anyReady());
    readyAt(1, 1);
    readyAt(2, 1);
    assertTrue(state.anyReady());
    state.closed(1);
    state.closed(1);
    assertFalse(state.anyReady());
    assertFalse(state.isOpen(1));
    assertEquals(0, state.readyNanos(1));
    assertTrue(state.anyOpen());
    state.closed(0);
    state.closed(2);
    assertFalse(state.anyOpen());
    assertEquals(3, state.inputs());
  }
}
