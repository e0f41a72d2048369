package dev.tigris.message.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Both sides of the pieces of one direction, with an interface that is lost at random.
class PiecesTest {
  private static final int PIECES = 500;

  /// What the receiver has told, over which interface.
  private record Told(long granted, long taken, long number) {}

  private final Pieces sender = new Pieces();
  private final Pieces receiver = new Pieces();
  private final ArrayDeque<Long> wire = new ArrayDeque<>();
  private final ArrayDeque<Long> posted = new ArrayDeque<>();
  private final ArrayDeque<Told> counts = new ArrayDeque<>();
  private long number = 1;

  @Test
  void eachPieceMeetsItsOwnMemoryAndIsTakenOnce() {
    for (long seed = 1; seed <= 50; seed++) {
      new PiecesTest().run(new SplittableRandom(seed));
    }
  }

  private void run(SplittableRandom random) {
    long step = 0;
    while (receiver.taken() < PIECES) {
      assertTrue(step++ < 100_000, () -> "no end: " + sender + ", " + receiver);
      switch (random.nextInt(7)) {
        case 0 -> offer(1 + random.nextInt(20));
        case 1 -> grant();
        case 2 -> send();
        case 3 -> arrive();
        case 4 -> hear();
        case 5 -> skip(random);
        default -> lose(random);
      }
      sender.checkInvariants();
      receiver.checkInvariants();
    }
  }

  private void offer(int count) {
    if (sender.offered() < PIECES) {
      assertEquals(sender.offered(), receiver.offered());
      assertEquals(sender.offer(count), receiver.offer(count));
    }
  }

  private void grant() {
    if (receiver.mayGrant()) {
      posted.add(receiver.granted());
      receiver.grant();
      tell();
    }
  }

  private void tell() {
    counts.add(new Told(receiver.granted(), receiver.taken(), number));
  }

  private void send() {
    if (sender.maySend()) {
      wire.add(sender.sent());
      sender.send();
    }
  }

  private void arrive() {
    Long piece = wire.poll();
    if (piece != null) {
      assertEquals(posted.poll(), piece, "it has met the memory of another piece");
      assertEquals(receiver.taken(), piece);
      receiver.take();
      tell();
    }
  }

  private void hear() {
    Told next = counts.poll();
    if (next != null) {
      assertTrue(sender.told(next.granted(), next.taken(), next.number() == number));
    }
  }

  private void skip(SplittableRandom random) {
    if (random.nextInt(5) == 0 && receiver.isQuiet() && receiver.mayGrant()) {
      receiver.skip(1);
      tell();
    }
  }

  /// The interface is lost, with what is on it; the counts are on the other one.
  private void lose(SplittableRandom random) {
    if (random.nextInt(10) == 0) {
      wire.clear();
      posted.clear();
      number++;
      sender.detached();
      receiver.detached();
      tell();
    }
  }

  @Test
  void countsThatCannotBeAreRefused() {
    sender.offer(20);
    assertFalse(sender.told(-1, -1, true), "less than nothing");
    assertFalse(sender.told(1, 2, true), "more is taken than granted");
    assertFalse(sender.told(21, 21, true), "more than was offered");
    assertFalse(sender.told(Pieces.MOST + 1, 0, true), "more than may be granted");
    assertFalse(sender.maySend());
    assertTrue(sender.told(3, 0, false), "those of an interface that is lost");
    assertFalse(sender.maySend(), "they grant nothing on the next one");
    assertTrue(sender.told(3, 0, true));
    assertTrue(sender.maySend());
  }

  @Test
  void piecesAreSkippedInTheirTurn() {
    receiver.offer(3);
    receiver.grant();
    assertThrows(IllegalStateException.class, () -> receiver.skip(1));
    receiver.take();
    assertThrows(IllegalStateException.class, () -> receiver.skip(3));
    receiver.skip(2);
    assertEquals(3, receiver.taken());
  }
}
