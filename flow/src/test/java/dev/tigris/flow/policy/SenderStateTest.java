package dev.tigris.flow.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SenderStateTest {
  private static final int WINDOW = 8;

  @Test
  void countsCreditsAndOutstanding() {
    SenderState state = new SenderState(WINDOW, WINDOW);
    state.sent(0, 5);
    state.finished(0, 2);
    assertEquals(3, state.outstanding(0));
    assertEquals(WINDOW - 3, state.credits(0));
    assertEquals(WINDOW, state.credits(1));
  }

  @Test
  void aClosedStreamHasNoCredit() {
    SenderState state = new SenderState(WINDOW, WINDOW);
    state.closed(0);
    assertEquals(0, state.credits(0));
    assertFalse(state.isOpen(0));
    assertTrue(state.anyOpen());
    state.closed(1);
    state.closed(1);
    assertFalse(state.anyOpen());
  }

  @Test
  void learnsTheServiceTimeOfABusyConsumer() {
    SenderState state = new SenderState(WINDOW);
    assertEquals(0, state.serviceNanos(0));
    state.time(1000);
    state.sent(0, WINDOW);
    for (int finished = 1; finished < WINDOW; finished++) {
      state.time(1000 + 250L * finished);
      state.finished(0, finished);
    }
    assertEquals(250, state.serviceNanos(0));
  }

  @Test
  void forgetsWhatIsLongAgo() {
    SenderState state = new SenderState(WINDOW);
    long now = 0;
    long finished = 0;
    state.sent(0, 1000);
    for (int i = 0; i < 50; i++) {
      now += 100;
      state.time(now);
      state.finished(0, ++finished);
    }
    for (int i = 0; i < 50; i++) {
      now += 900;
      state.time(now);
      state.finished(0, ++finished);
    }
    assertEquals(900.0, (double) state.serviceNanos(0), 10.0);
  }

  @Test
  void idleTimeDoesNotCountAsService() {
    SenderState state = new SenderState(WINDOW);
    state.sent(0, 2);
    state.time(100);
    state.finished(0, 1);
    state.time(200);
    state.finished(0, 2);
    state.time(1_000_000);
    state.sent(0, 3);
    assertEquals(100, state.serviceNanos(0));
    // Seen late: it may have been finished long before.
    state.time(5_000_000);
    state.finished(0, 3);
    assertEquals(100, state.serviceNanos(0));
  }

  @Test
  void silenceOfABusyConsumerCounts() {
    SenderState state = new SenderState(WINDOW);
    state.sent(0, 4);
    state.time(100);
    state.finished(0, 1);
    state.time(10_100);
    assertEquals(10_000, state.serviceNanos(0));
  }

  @Test
  void refusesAWindowWithoutRoom() {
    assertThrows(IllegalArgumentException.class, () -> new SenderState(4, 0));
  }
}
