// Over 400 lines: what the two sides promise, and what they notice, needs the same two sides.
package dev.tigris.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One ring, its writer and its reader, and what a process that does not keep to the protocol can
/// make of them.
class RingTest {
  private static final int MOST_BYTES = 200_000;

  private final LastingMemory ring = LastingMemory.allocate(Ring.bytes(dataBytes()));
  private final MemorySegment memory = ring.segment();
  private RingWriter writer = new RingWriter(ring, dataBytes());
  private RingReader reader = new RingReader(ring, dataBytes());
  private final Frame frame = new Frame();
  private final Bytes source = Jbuf.allocate(MOST_BYTES, "test").asBytes();
  private final Bytes target = Jbuf.allocate(MOST_BYTES, "test").asBytes();
  private final Transfer into = transfer(target);

  /// The size of the ring's data.
  int dataBytes() {
    return Ring.SMALL_DATA;
  }

  /// One that no link completes.
  private static Transfer transfer(Bytes memory) {
    Region region = new Region(memory);
    RingCopies.register(region);
    return new Transfer(region) {
      @Override
      protected void completed() {}
    };
  }

  private Transfer message(long bytes, int tag) {
    Transfer message = transfer(source);
    message.range(0, 0, bytes);
    message.tag(tag);
    message.startSending();
    into.range(0, 0, MOST_BYTES);
    return message;
  }

  private Transfer patterned(long bytes, int tag) {
    for (long i = 0; i < bytes; i++) {
      source.set(i, (byte) (tag + i * 31));
    }
    return message(bytes, tag);
  }

  private void expectPattern(long bytes, int tag) {
    for (long i = 0; i < bytes; i++) {
      assertEquals((byte) (tag + i * 31), target.get(i));
    }
  }

  private void check() {
    writer.checkInvariants();
    reader.checkInvariants();
  }

  /// Takes the message whose first slot is there, to its end; returns its length.
  private int take() {
    assertTrue(reader.look());
    reader.takeHeader(frame, MOST_BYTES);
    long taken = 0;
    do {
      assertTrue(reader.look());
      taken += reader.takePart(frame.length, taken, into);
      reader.giveBack();
      check();
    } while (taken < frame.length);
    return frame.length;
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        111,
        Ring.INLINE_BYTES,
        Ring.INLINE_BYTES + 1,
        Ring.PART_BYTES - 1,
        Ring.PART_BYTES,
        Ring.PART_BYTES + 1,
        3 * Ring.PART_BYTES + 5,
        MOST_BYTES
      })
  void carriesAMessageOfAnyLengthThroughManyLaps(int bytes) {
    int slots = bytes <= Ring.INLINE_BYTES ? 1 : Math.ceilDiv(bytes, Ring.PART_BYTES);
    for (int tag = 0; tag < 5 * Ring.SLOTS / slots + 3; tag++) {
      Transfer message = patterned(bytes, tag);
      do {
        assertTrue(writer.write(message));
        check();
      } while (message.progress() < bytes);
      assertTrue(reader.look());
      assertThrows(BreachException.class, () -> reader.takeHeader(frame, bytes - 1));
      assertEquals(bytes, take());
      assertEquals(tag, frame.tag);
      expectPattern(bytes, tag);
      assertFalse(reader.look());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, Ring.INLINE_BYTES + 1, Ring.PART_BYTES - 64, Ring.PART_BYTES})
  void refusesWhatFindsNoRoomUntilSomethingWasTaken(int bytes) {
    for (int lap = 0; lap < 5; lap++) {
      int written = 0;
      for (Transfer next = message(bytes, written); writer.write(next); written++) {
        check();
        next = message(bytes, written);
      }
      assertTrue(written > 0 && written < Ring.SLOTS);
      assertFalse(writer.write(message(bytes, written)));
      for (int i = 0; i < written; i++) {
        assertEquals(bytes, take());
      }
      assertFalse(reader.look());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void fetchesNothingThatTheReaderHasYetToRead(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<Integer> sent = new ArrayDeque<>();
    for (int tag = 0, taken = 0; taken < 1_000; tag++) {
      int bytes = 1 + random.nextInt(1 << random.nextInt(14));
      boolean written = writer.write(patterned(bytes, tag));
      if (written) {
        sent.add(bytes);
      }
      for (boolean more = random.nextBoolean(); more; more = writer.fetch()) {
        check();
      }
      for (int most = written ? random.nextInt(3) : 1 + random.nextInt(40); most > 0; most--) {
        Integer next = sent.poll();
        if (next != null) {
          assertEquals(next, take());
          expectPattern(next, frame.tag);
          taken++;
        }
      }
    }
  }

  private record Left(long use, long at, int bytes, int tag) {}

  /// Also not by fetching lines for what comes next.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void changesNothingThatWasLeftWhereItLies(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Left> left = new ArrayList<>();
    int refused = 0;
    for (int tag = 0; tag < 3_000; tag++) {
      int bytes = 1 + random.nextInt(1 << random.nextInt(14));
      refused += writer.write(patterned(bytes, tag)) ? 0 : 1;
      for (boolean more = random.nextBoolean(); more; more = writer.fetch()) {
        check();
      }
      if (random.nextBoolean() && reader.look()) {
        reader.takeHeader(frame, MOST_BYTES);
        long at = reader.leave(frame.length);
        left.add(new Left(reader.lastTaken(), at, frame.length, frame.tag));
      } else if (!left.isEmpty()) {
        release(left.remove(random.nextInt(left.size())));
      }
      check();
    }
    left.forEach(this::release);
    assertFalse(reader.hasLeft());
    assertTrue(refused > 100 && refused < 2_900, refused + " found no room");
  }

  private void release(Left message) {
    for (int i = 0; i < message.bytes; i++) {
      byte expected = (byte) (message.tag + i * 31);
      assertEquals(expected, memory.get(ValueLayout.JAVA_BYTE, message.at + i));
    }
    reader.release(message.use);
    reader.giveLentBack();
  }

  @Test
  void canAlwaysSayGoodbye() {
    Transfer message = message(1, 0);
    int written = 0;
    for (; writer.write(message); message = message(1, 0)) {
      written++;
    }
    assertEquals(Ring.SLOTS - 1, written);
    writer.writeGoodbye();
    for (int i = 0; i < written; i++) {
      take();
    }
    assertTrue(reader.look());
    reader.takeHeader(frame, MOST_BYTES);
    assertTrue(frame.goodbye);
  }

  @Test
  void keepsItsPromisesForRandomMessagesAndRandomTurns() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    try {
      turns(random);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private void turns(SplittableRandom random) {
    ArrayDeque<Integer> sent = new ArrayDeque<>();
    Transfer sending = null;
    long taken = -1;
    for (int turn = 0; turn < 20_000; turn++) {
      if (random.nextBoolean()) {
        if (sending == null) {
          sending = message(random.nextInt(1 << random.nextInt(18)) % MOST_BYTES, turn);
          sent.add((int) sending.bytes());
        }
        if (writer.write(sending) && sending.progress() == sending.bytes()) {
          sending = null;
        }
        boolean _ = random.nextBoolean() && writer.fetch();
      } else if (reader.look()) {
        if (taken < 0) {
          reader.takeHeader(frame, MOST_BYTES);
          assertEquals(sent.poll(), frame.length);
          taken = 0;
        }
        taken += reader.takePart(frame.length, taken, into);
        taken = taken == frame.length ? -1 : taken;
        reader.giveBack();
      }
      check();
    }
  }

  // ---- breaches

  private static void breach(String what, Runnable step) {
    BreachException breach = assertThrows(BreachException.class, step::run);
    assertTrue(breach.getMessage().contains(what), breach.getMessage());
  }

  private void set(long offset, long value) {
    memory.set(ValueLayout.JAVA_LONG, offset, value);
  }

  private static long kindAndSequence(int kind, int sequence) {
    return (kind & 0xffff_ffffL) | (long) sequence << 32;
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, 3, Ring.SLOTS, Ring.SLOTS + 1, Integer.MIN_VALUE})
  void noticesASequenceThatCannotBe(int sequence) {
    set(Ring.slot(0) + Ring.KIND_AND_SEQUENCE, kindAndSequence(0x101, sequence));
    breach("sequence " + sequence, reader::look);
    assertTrue(reader.seesMore()); // so that a reader who sleeps gets up, and finds out
  }

  @Test
  void noticesPagesThatWereGivenBackToTheSystem() {
    for (int i = 0; i <= Ring.SLOTS; i++) {
      assertTrue(writer.write(message(1, i)));
      take();
    }
    memory.fill((byte) 0); // as they then read
    breach("sequence 0", reader::look);
  }

  @Test
  void noticesAPartThatDoesNotContinueItsMessage() {
    Transfer message = message(2 * Ring.PART_BYTES, 0);
    assertTrue(writer.write(message));
    set(Ring.slot(1) + Ring.KIND_AND_SEQUENCE, kindAndSequence(0x101, 2));
    assertTrue(reader.look());
    reader.takeHeader(frame, MOST_BYTES);
    assertEquals(Ring.PART_BYTES, reader.takePart(frame.length, 0, into));
    assertTrue(reader.look());
    breach("middle", () -> reader.takePart(frame.length, Ring.PART_BYTES, into));
  }

  /// Or what was left there would be forgotten.
  @Test
  void noticesThatASlotIsUsedAgainWhoseMessageWasLeftInIt() {
    for (int use = 0; use < Ring.SLOTS; use++) {
      offer(use);
      assertEquals(Ring.slot(use) + Ring.PAYLOAD, reader.leave(1));
    }
    offer(Ring.SLOTS);
    breach("is used again", () -> reader.leave(1));
    breach("is used again", reader::leaveLent);
    reader.checkInvariants();
  }

  /// As a writer that looks at nothing.
  private void offer(int use) {
    set(Ring.slot(use) + Ring.LENGTH_AND_TAG, 1);
    set(Ring.slot(use) + Ring.KIND_AND_SEQUENCE, kindAndSequence(0x101, Ring.sequence(use)));
    assertTrue(reader.look());
    reader.takeHeader(frame, MOST_BYTES);
  }

  @Test
  void noticesAPartWithoutABeginning() {
    set(Ring.slot(0) + Ring.KIND_AND_SEQUENCE, kindAndSequence(Ring.CONTINUED, 1));
    assertTrue(reader.look());
    assertThrows(BreachException.class, () -> reader.takeHeader(frame, MOST_BYTES));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1000, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32})
  void noticesSlotsGivenBackThatWereNotUsed(long freed) {
    fill();
    set(Ring.FREED, 1);
    assertTrue(writer.write(message(1, 0)));
    set(Ring.FREED, freed);
    breach("gives back slot " + freed, () -> writer.write(message(1, 0)));
  }

  private void fill() {
    Transfer message = message(1, 0);
    while (writer.write(message)) {
      message = message(1, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void staysInBoundsWhateverAnotherProcessWritesAtAnyTime(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      memory.fill((byte) 0);
      writer = new RingWriter(ring, dataBytes());
      reader = new RingReader(ring, dataBytes());
      try {
        sufferFrom(random);
      } catch (BreachException expected) {
        check();
      }
    }
  }

  /// Both sides go on while memory changes under their feet.
  private void sufferFrom(SplittableRandom random) {
    Transfer sending = message(1, 1);
    long taken = -1;
    for (int turn = 0; turn < 2_000; turn++) {
      vandalise(random);
      if (!writer.write(sending) || sending.progress() == sending.bytes()) {
        sending = message(random.nextInt(1 << random.nextInt(17)), turn);
      }
      boolean _ = writer.fetch();
      if (reader.look()) {
        if (taken < 0) {
          reader.takeHeader(frame, MOST_BYTES);
          if (frame.goodbye) {
            throw new BreachException("a link ends here");
          }
          assertTrue(frame.length >= 0 && frame.length <= MOST_BYTES);
          taken = 0;
        }
        taken += reader.takePart(frame.length, taken, random.nextBoolean() ? into : null);
        assertTrue(taken <= frame.length);
        taken = taken == frame.length ? -1 : taken;
        reader.giveBack();
      }
      check();
    }
  }

  /// Changes a header, or `freed`, into something likely.
  private void vandalise(SplittableRandom random) {
    long slot = Ring.slot(random.nextInt(Ring.SLOTS));
    switch (random.nextInt(200)) {
      case 0 -> set(Ring.FREED, random.nextLong(4_000));
      case 1 -> set(slot, random.nextLong());
      case 2 -> set(slot, random.nextInt(MOST_BYTES));
      case 3 ->
          set(
              slot + Ring.KIND_AND_SEQUENCE,
              kindAndSequence(
                  random.nextBoolean() ? 0x101 : Ring.CONTINUED, random.nextInt(4_000)));
      case 4 -> {
        long at = slot + Ring.KIND_AND_SEQUENCE;
        long before = memory.get(ValueLayout.JAVA_LONG, at);
        set(at, before ^ 1L << random.nextInt(64));
      }
      default -> {
        // nothing this time
      }
    }
  }
}
