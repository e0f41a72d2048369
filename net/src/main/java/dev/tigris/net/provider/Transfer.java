// Over 400 lines: what a message consists of, and the ways to copy it, which read those fields.
package dev.tigris.net.provider;

import dev.tigris.net.DataType;
import dev.tigris.net.Status;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A provider's half of a descriptor: one message to be sent, or the memory for one. Who makes one
/// says where it goes when it is complete.
///
/// ```text
///   range      0          1            count-1
///          +--------+-------------+- ... -+----+
///          | region, offset, length            |   bytes = the sum of the lengths
///          +--------+-------------+- ... -+----+
/// ```
///
/// The ranges lie inside their regions: that was checked when the transfer was posted; nothing
/// changes them until it is complete.
///
/// The first range, nearly always the only one, lies in fields of its own: a message then touches
/// three objects fewer. What copies it is short, and there is a method for each direction: the
/// compiler inlines only what is small as machine code.
///
/// References are stored where they change and not for every message: the garbage collector has to
/// know of each such store, for which G1 takes a full fence once the transfer is old.
public abstract class Transfer {
  /// The most ranges that a transfer can have.
  public static final int MAXIMUM_RANGES = 16;

  private static final int LEAST_PAGE_BYTES = 4096;

  /// The access of a transfer to memory of the peer.
  public enum Remote {
    /// Nothing: it is a message, or memory for one.
    NONE,
    READ,
    WRITE
  }

  private final DataType memoryType;
  private final boolean arrays;
  private final boolean mapped;
  private final int count;
  private final Region firstRegion;

  /// Whether it has one range, which is there as long as it is posted.
  private final boolean plain;

  private long firstOffset;
  private long firstLength;

  /// Of the others, at their own index.
  private final Region[] regions;

  private final long[] offsets;
  private final long[] lengths;
  private long bytes;

  /// Whether it is posted and not complete.
  private boolean posted;

  private boolean send;
  private Remote remote = Remote.NONE;
  private long remoteAddress;
  private long remoteKey;

  /// Whether a message that arrives may stay where it is, and whether one has, and where.
  private boolean wantedInPlace;

  private boolean left;
  private boolean spoiled;
  private @Nullable MemorySegment place;
  private long placeOffset;

  private int tag;
  private DataType type;
  private DataType sentType;
  private Status result = Status.IDLE;
  private long transferredBytes;

  private long progress;

  /// Makes one for ranges of these regions, which are registered.
  protected Transfer(Region... regions) {
    if (regions.length < 1 || regions.length > MAXIMUM_RANGES) {
      throw new IllegalArgumentException(
          "a descriptor has 1 to %d ranges, not %d".formatted(MAXIMUM_RANGES, regions.length));
    }
    this.count = regions.length;
    this.firstRegion = regions[0];
    this.regions = regions.clone();
    this.offsets = new long[regions.length];
    this.lengths = new long[regions.length];
    DataType first = regions[0].type();
    boolean same = Arrays.stream(regions).allMatch(region -> region.type() == first);
    this.memoryType = same ? first : DataType.MIXED;
    this.type = memoryType;
    this.sentType = memoryType;
    this.arrays = Arrays.stream(regions).anyMatch(Region::isArray);
    this.mapped = Arrays.stream(regions).anyMatch(Region::isMapped);
    this.plain = count == 1 && !mapped;
  }

  /// Takes it back from the link, each time that it is complete.
  protected abstract void completed();

  /// Names the part of range `index` that takes part: checked by the caller.
  public final void range(int index, long offset, long length) {
    bytes += length - length(index);
    if (index == 0) {
      firstOffset = offset;
      firstLength = length;
    } else {
      offsets[index] = offset;
      lengths[index] = length;
    }
  }

  /// Starts it as memory for a message: called before it is given to a link.
  public final void startReceiving() {
    start(false, memoryType);
  }

  /// Starts it as a message, in the same way.
  public final void startSending() {
    start(true, sentType);
  }

  /// Says that it is sent as something else than [#memoryType]: as what its memory is a copy of.
  public final void sendAs(DataType messageType) {
    if (sentType != messageType) {
      sentType = messageType;
    }
  }

  private void start(boolean toSend, DataType messageType) {
    send = toSend;
    type(messageType);
    posted = true;
    firstRegion.post();
    for (int i = 1; i < count; i++) {
      regions[i].post();
    }
    progress = 0;
    if (remote != Remote.NONE) {
      remote = Remote.NONE;
    }
  }

  /// Says what else a send is than a message: after [#startSending].
  ///
  /// @param address where to begin in memory of the peer
  /// @param key to that memory
  public final void remote(Remote how, long address, long key) {
    remote = how;
    remoteAddress = address;
    remoteKey = key;
  }

  /// Whether it reads or writes memory of the peer.
  public final Remote remote() {
    return remote;
  }

  /// Where that begins.
  public final long remoteAddress() {
    return remoteAddress;
  }

  /// The key to it.
  public final long remoteKey() {
    return remoteKey;
  }

  /// Returns how far the provider is: for its own use while the transfer is posted, or its message
  /// left. 0 when the transfer is posted.
  public final long progress() {
    return progress;
  }

  /// Sets that.
  public final void progress(long value) {
    progress = value;
  }

  /// Returns [Region#registration] of the only region, for providers that look at it for each
  /// message; null if there are several regions. A transfer does not keep it: a ticket outlives
  /// its registration, and would hold the memory.
  public final @Nullable Object registration() {
    return count == 1 ? firstRegion.registration() : null;
  }

  /// How many ranges it has.
  public final int count() {
    return count;
  }

  /// The region of a range.
  public final Region region(int index) {
    return index == 0 ? firstRegion : regions[index];
  }

  /// Where a range begins in its region.
  public final long offset(int index) {
    return index == 0 ? firstOffset : offsets[index];
  }

  /// The length of a range.
  public final long length(int index) {
    return index == 0 ? firstLength : lengths[index];
  }

  /// The range that a byte of the message lies in.
  ///
  /// @param from which byte: there are more than that
  public final int rangeAt(long from) {
    int index = 0;
    for (long skip = from; skip >= length(index); index++) {
      skip -= length(index);
    }
    return index;
  }

  /// The length of all ranges before one.
  public final long before(int index) {
    long sum = 0;
    for (int i = 0; i < index; i++) {
      sum += length(i);
    }
    return sum;
  }

  /// The length of all ranges.
  public final long bytes() {
    return bytes;
  }

  /// Whether this is a message, and not memory for one.
  public final boolean isSend() {
    return send;
  }

  /// The tag that travels with the message: the application's own number.
  public final int tag() {
    return tag;
  }

  /// Sets it: not while this is posted.
  public final void tag(int value) {
    tag = value;
  }

  /// Whether some of the ranges lie in arrays on the heap: only for links that take those.
  public final boolean hasArrays() {
    return arrays;
  }

  /// Whether some of them lie in files, whose pages vanish when others cut them. Only what copies
  /// here notices that in time, and the kernel: a library that touched them would end the process.
  public final boolean isMapped() {
    return mapped;
  }

  /// The type of the memory that the ranges lie in.
  public final DataType memoryType() {
    return memoryType;
  }

  /// The type of the message: of a receive that is complete, what the sender has sent.
  public final DataType type() {
    return type;
  }

  private void type(DataType messageType) {
    if (type != messageType) {
      type = messageType;
    }
  }

  /// The result, when it was last complete.
  public final Status result() {
    return result;
  }

  /// How many bytes were sent or have arrived.
  public final long transferredBytes() {
    return transferredBytes;
  }

  /// Says that a message need not be brought to these ranges: see [#leave].
  public final void wantInPlace(boolean wanted) {
    wantedInPlace = wanted;
  }

  /// Whether it may be left where it is.
  public final boolean isWantedInPlace() {
    return wantedInPlace;
  }

  /// Notes that the message that has arrived stays where it is, for reading only, until
  /// [Link#givenBack].
  ///
  /// @param use for `progress`, by which the provider knows it
  @SuppressWarnings({
    "ReferenceEquality",
    "MemorySegmentReferenceEquality"
  }) // no store for the same
  public final void leave(MemorySegment where, long offset, long use) {
    left = true;
    if (place != where) {
      place = where;
    }
    placeOffset = offset;
    progress = use;
  }

  /// Whether the message that has arrived was left where it was, and not given back.
  public final boolean isLeft() {
    return left;
  }

  /// It is to be given back.
  final void taken() {
    left = false;
  }

  /// Whether what was left last was not the message all the time.
  final boolean isSpoiled() {
    return spoiled;
  }

  final void spoiled(boolean wasSpoiled) {
    spoiled = wasSpoiled;
  }

  /// Where the message lies: of what was left, or of the only range.
  public final MemorySegment memory() {
    MemorySegment elsewhere = place;
    return left && elsewhere != null ? elsewhere : firstRegion.segment();
  }

  /// Where in that it begins.
  public final long memoryOffset() {
    return left ? placeOffset : firstOffset;
  }

  /// Copies bytes `[from, from + size)` of the message to other memory.
  ///
  /// @throws LostMemoryException if some of them lay in a file that was cut
  public final void copyTo(MemorySegment memory, long at, long from, long size) {
    if (plain) {
      MemorySegment.copy(firstRegion.segment(), firstOffset + from, memory, at, size);
    } else {
      copyCarefully(memory, at, from, size, false);
    }
  }

  /// Copies other memory to where bytes `[from, from + size)` of the message belong.
  ///
  /// @throws LostMemoryException as [#copyTo]
  public final void copyFrom(MemorySegment memory, long at, long from, long size) {
    if (plain) {
      MemorySegment.copy(memory, at, firstRegion.segment(), firstOffset + from, size);
    } else {
      copyCarefully(memory, at, from, size, true);
    }
  }

  private void copyCarefully(MemorySegment memory, long at, long from, long size, boolean here) {
    if (!mapped) {
      copyRanges(memory, at, from, size, here);
      return;
    }
    try {
      if (count > 1) {
        copyRanges(memory, at, from, size, here);
      } else if (here) {
        MemorySegment.copy(memory, at, firstRegion.segment(), firstOffset + from, size);
      } else {
        MemorySegment.copy(firstRegion.segment(), firstOffset + from, memory, at, size);
      }
      // HotSpot notes that a page was not there, and throws when compiled code next comes to a
      // safepoint, which may be in a caller of a caller: all of this is inlined. A native method
      // comes to one whenever it returns.
      boolean _ = Thread.holdsLock(this);
    } catch (InternalError e) {
      throw new LostMemoryException(e);
    }
  }

  /// Looks whether all memory is there: for a caller that knows that something was wrong, and
  /// not what.
  ///
  /// @throws LostMemoryException if it is not
  public final void requireMemory() {
    MemorySegment one = MemorySegment.ofArray(new byte[1]);
    for (int i = 0; i < count && mapped; i++) {
      long end = before(i) + length(i);
      for (long from = before(i); from < end; from += LEAST_PAGE_BYTES) {
        copyTo(one, 0, from, 1);
        copyTo(one, 0, Math.min(from + LEAST_PAGE_BYTES, end) - 1, 1);
      }
    }
  }

  private void copyRanges(MemorySegment memory, long at, long from, long size, boolean here) {
    long there = at;
    long skip = from;
    long left = size;
    for (int i = 0; left > 0; i++) {
      long skipped = Math.min(length(i), skip);
      long part = Math.min(length(i) - skipped, left);
      if (here) {
        MemorySegment.copy(memory, there, region(i).segment(), offset(i) + skipped, part);
      } else {
        MemorySegment.copy(region(i).segment(), offset(i) + skipped, memory, there, part);
      }
      there += part;
      left -= part;
      skip -= skipped;
    }
  }

  /// Gives it back as sent or filled, or as refused.
  final void complete(Status how, long transferred) {
    if (!posted) {
      throw new IllegalStateException("a transfer is completed once, and this one is " + result);
    }
    posted = false;
    firstRegion.complete();
    for (int i = 1; i < count; i++) {
      regions[i].complete();
    }
    if (result != how) {
      result = how;
    }
    transferredBytes = transferred;
    completed();
  }

  /// Notes what came with the message that has filled it.
  final void arrived(int messageTag, DataType messageType) {
    tag = messageTag;
    type(messageType);
  }
}
