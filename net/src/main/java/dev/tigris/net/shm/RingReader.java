package dev.tigris.net.shm;

import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The reader's side of a [Ring]. One thread.
///
/// [#look] says whether there is a next slot. What is in it stays there until [#takePart]. [#leave]
/// takes a message and leaves it where it lies, with its slot and all that come after it, until
/// [#release]: slots are given back in the order they were used.
public final class RingReader {
  private static final long NOT_LEFT = -1;

  private final LastingMemory ring;
  private final int dataBytes;

  private long read;

  /// Where the next slot is.
  private long slot = Ring.slot(0);

  private long dataEnd;
  private long freed;
  private long dataFreed;

  /// The last eight bytes of the header of the slot that [#look] has found.
  private long kindAndSequence;

  /// Whether slots of messages in lent memory were not given back, and how many bytes those have.
  private boolean owes;

  private long owedBytes;

  /// Whether the message that [#takeHeader] has begun lies in lent memory.
  private boolean lent;

  /// By slot: where the data before it ends, if its message was left where it lies; else
  /// [#NOT_LEFT].
  private final long[] dataBefore = new long[Ring.SLOTS];

  /// The first use whose message was left where it lies, and the data before that: what can be
  /// given back. The largest number of all if there is none.
  private long oldestLeft = Long.MAX_VALUE;

  private long dataBeforeLeft = Long.MAX_VALUE;

  /// Makes one over a ring of zeros, with so much data.
  public RingReader(LastingMemory ring, int dataBytes) {
    this.ring = ring;
    this.dataBytes = dataBytes;
    Arrays.fill(dataBefore, NOT_LEFT);
  }

  /// Whether the next slot is there.
  ///
  /// @throws BreachException if it holds what cannot be there
  public boolean look() {
    // Acquire: pairs with the release of RingWriter.publish (jcstress: RingHandOverTest).
    long word = ring.getLongAcquire(slot + Ring.KIND_AND_SEQUENCE);
    int sequence = (int) (word >>> Integer.SIZE);
    if (sequence == Ring.sequence(read)) {
      kindAndSequence = word;
      return true;
    }
    if (sequence != sequenceBefore()) {
      throw new BreachException(
          "slot %d has sequence %d, and neither %d nor %d"
              .formatted(read, sequence, sequenceBefore(), Ring.sequence(read)));
    }
    return false;
  }

  /// The sequence that the next slot has as long as it is not used again.
  private int sequenceBefore() {
    return read < Ring.SLOTS ? 0 : Ring.sequence(read - Ring.SLOTS);
  }

  /// Whether the next slot is there, or something is wrong. Any thread; where that is not the
  /// reader's it may then be wrong to say yes: one slot's word is never what another had before.
  public boolean seesMore() {
    long word = ring.getLongAcquire(slot + Ring.KIND_AND_SEQUENCE);
    return (int) (word >>> Integer.SIZE) != sequenceBefore();
  }

  /// The same for the reader's thread, up to so many times with a pause before each. What changes
  /// only by this thread is read once: the sooner the load of the word comes after a pause, the
  /// sooner it finds what has arrived.
  boolean seesMoreSoon(int looks) {
    LastingMemory memory = ring;
    long at = slot + Ring.KIND_AND_SEQUENCE;
    int before = sequenceBefore();
    for (int i = 0; i < looks; i++) {
      Thread.onSpinWait();
      long word = memory.getLongAcquire(at);
      if ((int) (word >>> Integer.SIZE) != before) {
        return true;
      }
    }
    return false;
  }

  /// Takes the header of the slot that [#look] has found apart, as [Frame#take].
  ///
  /// @throws BreachException as that does
  public void takeHeader(Frame frame, long maximumBytes) {
    long lengthAndTag = ring.getLong(slot + Ring.LENGTH_AND_TAG);
    long word = kindAndSequence;
    lent = Ring.isLent(word);
    if (lent) {
      word = Ring.withKind(Frame.MESSAGE, word);
    }
    frame.take(lengthAndTag, word, maximumBytes, Ring.sequence(read));
  }

  /// Whether the message whose header was taken lies in lent memory: of [#loan], at
  /// [#loanOffset]. It has one slot, which [#takeLent] takes.
  boolean isLent() {
    return lent;
  }

  /// The number of the loan. It may be anything.
  int loan() {
    return (int) ring.getLong(slot + Ring.LOAN);
  }

  /// Where in it the message begins. It may be anything.
  long loanOffset() {
    return ring.getLong(slot + Ring.LOAN_OFFSET);
  }

  /// Takes the slot of a message in lent memory, which was copied, and gives it back if enough of
  /// that has come together.
  ///
  /// @return whether it did
  boolean takeLent(long bytes) {
    next();
    owes = true;
    owedBytes += bytes;
    return owedBytes >= Ring.LENT_AT_ONCE && giveLentBack();
  }

  /// Gives back what was taken of lent memory, or is released: when there is nothing more to take
  /// now.
  ///
  /// @return whether that was anything
  boolean giveLentBack() {
    return owes && giveAllBack();
  }

  /// Whether lent memory may have been used for something else while it was copied.
  public boolean isWithdrawn() {
    // After all loads of that memory: pairs with the fence of RingWriter.withdraw (jcstress:
    // RingWithdrawalTest).
    VarHandle.acquireFence();
    return ring.getLong(Ring.WITHDRAWN) != 0;
  }

  /// Takes the part in the slot that [#look] has found.
  ///
  /// @param length of the message
  /// @param from which byte of it comes next
  /// @param into where it belongs; null to discard it
  /// @return how long the part is
  /// @throws BreachException if it is not the part that must come
  public int takePart(long length, long from, @Nullable Transfer into) {
    if (from > 0 && (int) kindAndSequence != Ring.CONTINUED) {
      throw new BreachException(
          "kind %#x in the middle of a message".formatted((int) kindAndSequence));
    }
    boolean inSlot = length <= Ring.INLINE_BYTES;
    int bytes = (int) Math.min(length - from, Ring.PART_BYTES);
    long begin = Ring.begin(dataEnd, inSlot ? 0 : bytes, dataBytes);
    if (into != null) {
      RingCopies.fromRing(into, ring, payload(inSlot, begin), from, bytes);
    }
    dataEnd = Ring.end(begin, inSlot ? 0 : bytes);
    next();
    return bytes;
  }

  /// Where the part in the slot lies: there, or at a position in the data.
  private long payload(boolean inSlot, long begin) {
    return inSlot ? slot + Ring.PAYLOAD : Ring.data(begin, dataBytes);
  }

  /// Takes the message in the slot that [#look] has found, which is all of it, and leaves it where
  /// it lies.
  ///
  /// @param length of the message: a part at the most
  /// @return where in the ring it begins
  /// @throws BreachException if the slot was not given back since it was used before
  long leave(long length) {
    long at = payload(length <= Ring.INLINE_BYTES, Ring.begin(dataEnd, (int) length, dataBytes));
    keep();
    int _ = takePart(length, 0, null);
    return at;
  }

  /// The same for a message in lent memory.
  ///
  /// @throws BreachException as that does
  void leaveLent() {
    keep();
    next();
  }

  private void keep() {
    if (read - freed >= Ring.SLOTS) { // what was left before may be in the same slot
      throw new BreachException("slot %d is used again before it was given back".formatted(read));
    }
    dataBefore[Ring.index(read)] = dataEnd;
    if (oldestLeft == Long.MAX_VALUE) {
      oldestLeft = read;
      dataBeforeLeft = dataEnd;
    }
  }

  /// The use that was taken last.
  long lastTaken() {
    return read - 1;
  }

  /// The ring for others, who read what [#leave] has left there until the arena is closed.
  MemorySegment forReading(Arena arena) {
    return ring.forReading(arena);
  }

  /// Whether something was left where it lies, and not released.
  boolean hasLeft() {
    return oldestLeft != Long.MAX_VALUE;
  }

  /// Nobody reads any longer what was left where it lies: it is given back with all that was taken,
  /// by [#giveLentBack].
  ///
  /// @param use that it has
  void release(long use) {
    dataBefore[Ring.index(use)] = NOT_LEFT;
    owes = true;
    if (use == oldestLeft) {
      long next = use + 1;
      while (next < read && dataBefore[Ring.index(next)] == NOT_LEFT) {
        next++;
      }
      oldestLeft = next < read ? next : Long.MAX_VALUE;
      dataBeforeLeft = next < read ? dataBefore[Ring.index(next)] : Long.MAX_VALUE;
    }
  }

  private void next() {
    read++;
    slot = Ring.slot(read);
  }

  /// Gives back what was taken, if enough has come together.
  ///
  /// @return whether it did
  public boolean giveBack() {
    if (Math.min(read, oldestLeft) - freed < Ring.SLOTS_AT_ONCE
        && Math.min(dataEnd, dataBeforeLeft) - dataFreed < dataBytes / Ring.AT_ONCE) {
      return false;
    }
    return giveAllBack();
  }

  private boolean giveAllBack() {
    owes = false;
    owedBytes = 0;
    long now = Math.min(read, oldestLeft);
    if (now == freed) {
      return false;
    }
    freed = now;
    dataFreed = Math.min(dataEnd, dataBeforeLeft);
    // Release: pairs with the acquire of RingWriter.lookWhatIsFree (jcstress: RingReuseTest).
    ring.setLongRelease(Ring.FREED, freed);
    return true;
  }

  /// Throws if what is counted does not add up.
  void checkInvariants() {
    if (read - freed > Ring.SLOTS
        || dataEnd - dataFreed > dataBytes
        || freed > Math.min(read, oldestLeft)) {
      throw new IllegalStateException(
          "%d slots read, %d given back; data up to %d, given back up to %d"
              .formatted(read, freed, dataEnd, dataFreed));
    }
  }
}
