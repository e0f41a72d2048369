package dev.tigris.message.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An acknowledgement of its own is due at a quarter of the window, and not one packet before; also
/// where the numbers wrap around.
class SessionAcknowledgementTest {
  private static final int CREDITS = 32;
  private static final long LATER = 1_000;

  private static Session opened(long first) {
    Settings settings =
        new Settings(
            new Numbers(Long.SIZE), first, CREDITS, false, LATER, 10 * LATER, 400 * LATER, 900_000);
    Session session = new Session(settings, 0);
    int epoch = session.attach(0);
    assertEquals(Session.Duty.GREET, session.duty(0, false));
    assertTrue(session.welcomed(epoch, first, 0, 1));
    return session;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, Long.MAX_VALUE - 3, -4, Long.MIN_VALUE + 7})
  void isDueAtExactlyAQuarter(long first) {
    Session session = opened(first);
    int quarter = session.settings().mostPackets() / 4;
    for (int round = 0; round < 5; round++) {
      for (int i = 1; i <= quarter; i++) {
        long number = first + (long) round * quarter + i - 1;
        assertFalse(session.isAcknowledgementDue(2), "after %d of %d".formatted(i - 1, quarter));
        assertEquals(Session.Verdict.NEXT, session.arrived(session.epoch(), number, 2));
        session.taken(2);
      }
      assertTrue(session.isAcknowledgementDue(2), "after a quarter");
      assertEquals(first + (round + 1L) * quarter, session.acknowledge());
      session.checkInvariants();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void isDueAfterAWhile(long first) {
    Session session = opened(first);
    assertEquals(Session.Verdict.NEXT, session.arrived(session.epoch(), first, 2));
    session.taken(2);
    assertFalse(session.isAcknowledgementDue(1 + LATER));
    assertTrue(session.isAcknowledgementDue(2 + LATER));
    assertEquals(first + 1, session.acknowledge());
    assertFalse(session.isAcknowledgementDue(9 * LATER));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void isDueAtOnceForAPacketThatComesAgain(long first) {
    Session session = opened(first);
    assertEquals(Session.Verdict.NEXT, session.arrived(session.epoch(), first, 2));
    session.taken(2);
    assertEquals(first + 1, session.acknowledge());
    assertEquals(Session.Verdict.DUPLICATE, session.arrived(session.epoch(), first, 3));
    assertTrue(session.isAcknowledgementDue(3), "the one before may be lost");
  }

  /// A full window has arrived, and each acknowledgement of it is lost. The timer sends the oldest
  /// packet once more, and the answer to that acknowledges all of them.
  @ParameterizedTest
  @ValueSource(longs = {0, -5})
  void oneIsEnoughForAWindowWhoseOthersWereLost(long first) {
    Session sender = opened(first);
    Session receiver = opened(first);
    int epoch = sender.epoch();
    while (sender.canNumber()) {
      assertEquals(Session.Verdict.NEXT, receiver.arrived(epoch, sender.number(2), 2));
      receiver.taken(2);
      long _ = receiver.acknowledge(); // which is lost
    }
    assertEquals(sender.settings().mostPackets(), sender.underWay());
    long late = 2 + 400 * LATER;
    assertFalse(sender.tick(late));
    assertEquals(Session.Duty.RESEND, sender.duty(late, false));
    assertEquals(first, sender.nextResend());
    sender.resent(late);
    assertEquals(Session.Duty.NOTHING, sender.duty(late, false), "it sends the oldest one only");
    assertEquals(Session.Verdict.DUPLICATE, receiver.arrived(epoch, first, late));
    assertTrue(receiver.isAcknowledgementDue(late));
    assertTrue(sender.acknowledged(epoch, receiver.acknowledge(), 0, late));
    assertEquals(0, sender.underWay());
    assertEquals(Session.Duty.NOTHING, sender.duty(late, false));
    assertEquals(1, sender.resentCount());
    sender.checkInvariants();
  }
}
