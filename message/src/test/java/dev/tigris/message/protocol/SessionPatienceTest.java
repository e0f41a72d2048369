package dev.tigris.message.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/// A session ends when its peer was silent for the patience, whatever else is tried meanwhile.
class SessionPatienceTest {
  private static final long PATIENCE = 1_000;
  private static final Settings SETTINGS =
      new Settings(new Numbers(Long.SIZE), 0, 8, false, 10, 50, 400, PATIENCE);

  private static Session opened() {
    Session session = new Session(SETTINGS, 0);
    int epoch = session.attach(0);
    assertEquals(Session.Duty.GREET, session.duty(0, false));
    assertTrue(session.welcomed(epoch, 0, 0, 1));
    return session;
  }

  @Test
  void attemptsThatComeToNothingDoNotKeepIt() {
    Session session = opened();
    session.detached(100);
    long now = 100;
    while (!session.tick(now)) {
      now += 100;
      assertTrue(now <= 100 + PATIENCE + 100, "it goes on for ever");
      int _ = session.attach(now);
      session.detached(now);
    }
    assertEquals(Session.End.UNREACHABLE, session.end());
    assertEquals(100 + PATIENCE, now);
  }

  @Test
  void anAnswerOfThePeerBeginsThePatienceAnew() {
    Session session = opened();
    session.detached(100);
    int epoch = session.attach(1_000);
    assertTrue(session.welcomed(epoch, 0, 0, 1_050));
    session.detached(1_060);
    assertFalse(session.tick(1_100));
    assertFalse(session.tick(1_059 + PATIENCE));
    assertTrue(session.tick(1_060 + PATIENCE));
  }

  @Test
  void aRepeatedLackAfterATimeOutSendsTheRestAgain() {
    Session session = opened();
    for (int i = 0; i < 4; i++) {
      assertEquals(i, session.number(10));
    }
    assertTrue(session.lacks(1, 1, 11));
    while (session.nextResend() != Session.NONE) {
      session.resent(12);
    }
    assertFalse(session.tick(12 + 50), "it is the first packet that is sent again");
    assertEquals(1, session.nextResend());
    session.resent(62);
    assertTrue(session.lacks(1, 1, 11 + 49), "the answer to what was sent before");
    assertEquals(1, session.nextResend(), "all that the peer lacks follows");
  }
}
