package dev.tigris.net.shm;

import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import java.lang.invoke.VarHandle;

/// The writer's side of a [Ring]. One thread.
///
/// Conserved: slots used = slots given back + slots in use, of which there are at most 127, and a
/// goodbye.
public final class RingWriter {
  private final LastingMemory ring;
  private final int dataBytes;

  /// For the last uses: the position behind the data of each. What the reader gives back is
  /// counted in slots alone, and what that means in bytes is known here.
  private final long[] dataEnds = new long[Ring.SLOTS];

  private long used;
  private long dataEnd;

  /// As the reader has last said.
  private long freed;

  private long dataFreed;

  /// The data that [#fetch] has yet to fetch: behind `dataEnd`, and without a lap's end in it.
  private long fetchFrom;

  private long fetchTo;

  /// Makes one over a ring of zeros, with so much data.
  public RingWriter(LastingMemory ring, int dataBytes) {
    this.ring = ring;
    this.dataBytes = dataBytes;
  }

  /// How many slots it has written.
  long used() {
    return used;
  }

  /// Writes the next part of a message, if there is room for it, and counts it in
  /// [Transfer#progress].
  ///
  /// @return whether there was
  /// @throws BreachException if the reader does not keep to the protocol
  public boolean write(Transfer message) {
    long from = message.progress();
    boolean inSlot = message.bytes() <= Ring.INLINE_BYTES;
    int bytes = (int) Math.min(message.bytes() - from, Ring.PART_BYTES);
    long begin = Ring.begin(dataEnd, inSlot ? 0 : bytes, dataBytes);
    long end = Ring.end(begin, inSlot ? 0 : bytes);
    if (!hasRoom(end) && !(lookWhatIsFree() && hasRoom(end))) {
      return false;
    }
    long slot = Ring.slot(used);
    long at = inSlot ? slot + Ring.PAYLOAD : Ring.data(begin, dataBytes);
    int sequence = Ring.sequence(used);
    long lengthAndTag = Frame.lengthAndTag(message);
    long kindAndSequence =
        from == 0
            ? Frame.kindAndSequence(message, sequence)
            : Ring.CONTINUED | (long) sequence << Integer.SIZE;
    RingCopies.toRing(message, ring, at, from, bytes);
    message.progress(from + bytes);
    if (from == 0) {
      ring.setLong(slot + Ring.LENGTH_AND_TAG, lengthAndTag);
    }
    publish(slot, end, kindAndSequence);
    if (!inSlot) {
      expect(message.bytes());
    }
    return true;
  }

  /// Notes what the next message would be written to, if it were as long as this one: up to a
  /// part, since the parts behind the first one follow while the reader is at work on those before.
  private void expect(long bytes) {
    int part = (int) Math.min(bytes, Ring.PART_BYTES);
    fetchFrom = Ring.begin(dataEnd, part, dataBytes);
    fetchTo = part < Ring.LEAST_FETCHED_BYTES ? fetchFrom : fetchFrom + part;
  }

  /// Whether [#fetch] may have something to do.
  boolean mayFetch() {
    return fetchFrom < fetchTo;
  }

  /// Brings some of what the next message may be written to into this processor's cache, by writing
  /// to it: for who has nothing else to do.
  ///
  /// @return whether there is more
  boolean fetch() {
    long to = Math.min(fetchFrom + Ring.FETCHED_AT_ONCE, fetchTo);
    if (fetchFrom >= to || !hasRoom(to)) {
      return false;
    }
    for (; fetchFrom < to; fetchFrom += Ring.LINE_BYTES) {
      ring.setLong(Ring.data(fetchFrom, dataBytes), 0L);
    }
    return mayFetch();
  }

  /// Writes a message that lies in lent memory, if there is a slot for it: [#hasTaken] says when
  /// the reader has copied it.
  ///
  /// @return whether there was
  /// @throws BreachException if the reader does not keep to the protocol
  boolean lend(Transfer message, int loan) {
    if (!hasRoom(dataEnd) && !(lookWhatIsFree() && hasRoom(dataEnd))) {
      return false;
    }
    long slot = Ring.slot(used);
    ring.setLong(slot + Ring.LENGTH_AND_TAG, Frame.lengthAndTag(message));
    ring.setLong(slot + Ring.LOAN, loan);
    ring.setLong(slot + Ring.LOAN_OFFSET, message.offset(0));
    message.progress(~used);
    int sequence = Ring.sequence(used);
    publish(slot, dataEnd, Ring.withKind(Ring.LENT, Frame.kindAndSequence(message, sequence)));
    return true;
  }

  /// Whether the reader needs the memory of a message no more, of which all was written.
  ///
  /// @throws BreachException as for [#lend]
  boolean hasTaken(Transfer message) {
    long use = ~message.progress(); // below zero where it was copied
    return use < freed || (lookWhatIsFree() && use < freed);
  }

  /// Tells the reader that the memory of messages that it has not taken is to be used again.
  public void withdraw() {
    ring.setLong(Ring.WITHDRAWN, 1L);
    // Before any store to that memory: pairs with the fence of RingReader.isWithdrawn (jcstress:
    // RingWithdrawalTest).
    VarHandle.fullFence();
  }

  /// Writes the last slot.
  void writeGoodbye() {
    long slot = Ring.slot(used);
    ring.setLong(slot + Ring.LENGTH_AND_TAG, 0L);
    publish(slot, dataEnd, Frame.goodbye(Ring.sequence(used)));
  }

  private void publish(long slot, long end, long kindAndSequence) {
    // Release: pairs with the acquire of RingReader.look (jcstress: RingHandOverTest).
    ring.setLongRelease(slot + Ring.KIND_AND_SEQUENCE, kindAndSequence);
    dataEnds[Ring.index(used)] = end;
    dataEnd = end;
    used++;
  }

  private boolean hasRoom(long end) {
    return used - freed < Ring.SLOTS - 1 && end - dataFreed <= dataBytes;
  }

  /// Reads what the reader has given back; returns whether that is more than it was.
  private boolean lookWhatIsFree() {
    // Acquire: pairs with the release of RingReader.giveBack (jcstress: RingReuseTest).
    long now = ring.getLongAcquire(Ring.FREED);
    if (now == freed) {
      return false;
    }
    if (now < freed || now > used) {
      throw new BreachException(
          "it gives back slot %d, and has slots %d to %d".formatted(now, freed, used));
    }
    freed = now;
    dataFreed = dataEnds[Ring.index(now - 1)];
    return true;
  }

  /// Whether the reader has given back more than [#write] knows. Any thread; it may then be wrong
  /// to say yes.
  boolean seesMoreRoom() {
    return ring.getLongAcquire(Ring.FREED) != freed;
  }

  /// Throws if what is counted does not add up.
  void checkInvariants() {
    if (fetchFrom < dataEnd) {
      throw new IllegalStateException(
          "data up to %d, and fetched from %d on".formatted(dataEnd, fetchFrom));
    }
    if (used - freed > Ring.SLOTS || dataEnd - dataFreed > dataBytes || freed > used) {
      throw new IllegalStateException(
          "%d slots used, %d free again; data up to %d, free up to %d"
              .formatted(used, freed, dataEnd, dataFreed));
    }
  }
}
