package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The segments of a [PsoTable] that has grown, as they were when they were checked: the parts
/// behind its first one, in order. Each names the next one, so growing is one store.
///
/// ```
///   offset   size
///        0      8   index of the segment's first element in the table
///        8      8   capacity in elements, at least 1
///       16      8   offset of the next segment, 0 = none
///       24      8   reserved, 0
///       32    ...   the elements
/// ```
///
/// A table that has grown holds in the place of its capacity the offset of its first segment, below
/// zero. How many elements its first part has is the first index of that segment.
///
/// Immutable: what is stored may change at any time, and places are computed from what was checked.
final class TableSegments {
  private static final long CAPACITY_AT = 8;
  private static final long NEXT_AT = 16;

  /// By segment: the index of its first element, and where it lies.
  private final long[] firsts;

  private final long[] offsets;

  /// The number of elements that there is room for in all parts.
  final long room;

  private TableSegments(long[] firsts, long[] offsets, long room) {
    this.firsts = firsts;
    this.offsets = offsets;
    this.room = room;
  }

  /// Reads and checks all segments. Their first indexes rise, so there can be no circle.
  ///
  /// @param first the offset of the first one
  /// @throws CorruptReferenceException if they cannot be where they are said to be
  static TableSegments read(Region region, long first, long strideBytes) {
    long[] firsts = new long[8];
    long[] offsets = new long[8];
    int count = 0;
    long room = -1;
    for (long at = first; at != 0; at = load(region, at + NEXT_AT)) {
      requireInside(region, at);
      long index = load(region, at);
      long capacity = load(region, at + CAPACITY_AT);
      long fits = (region.capacityBytes() - at - ObjectAccess.SEGMENT_ELEMENTS_AT) / strideBytes;
      boolean follows = room < 0 ? index >= 0 && index <= Long.MAX_VALUE / 2 : index == room;
      if (!follows || capacity < 1 || capacity > fits) {
        throw region.unlessOutgrown(
            new CorruptReferenceException(
                "a part of a table at %d has %d elements from index %d, which cannot be"
                    .formatted(at, capacity, index)));
      }
      if (count == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      firsts[count] = index;
      offsets[count++] = at;
      room = index + capacity;
    }
    return new TableSegments(Arrays.copyOf(firsts, count), Arrays.copyOf(offsets, count), room);
  }

  private static void requireInside(Region region, long at) {
    boolean isInside =
        at >= region.firstOffset()
            && at <= region.capacityBytes() - ObjectAccess.SEGMENT_ELEMENTS_AT
            && (at & 7) == 0;
    if (!isInside) {
      throw region.unlessOutgrown(
          new CorruptReferenceException("no part of a table can be at %d".formatted(at)));
    }
  }

  private static long load(Region region, long at) {
    long value = (long) Raw.LONG.getAcquire(Raw.GLOBAL, (region.address & Raw.ADDRESS_MASK) + at);
    Reference.reachabilityFence(region);
    return value;
  }

  /// Whether what is stored from a first segment on are these, and no more.
  boolean areStored(Region region, long first) {
    long at = first;
    for (int i = 0; i < offsets.length; i++) {
      // Only where they are known to be is what is there one.
      if (at != offsets[i]
          || load(region, at) != firsts[i]
          || load(region, at + CAPACITY_AT) != end(i) - firsts[i]) {
        return false;
      }
      at = load(region, at + NEXT_AT);
    }
    return at == 0;
  }

  /// The index behind a segment's last element.
  private long end(int segment) {
    return segment + 1 < firsts.length ? firsts[segment + 1] : room;
  }

  /// Makes a segment that no reader can find yet, and returns its offset.
  static long make(Container container, long first, long capacity, long strideBytes) {
    long at = container.allocate(ObjectAccess.SEGMENT_ELEMENTS_AT + capacity * strideBytes);
    Raw.LONG.set(Raw.GLOBAL, container.at(at), first);
    Raw.LONG.set(Raw.GLOBAL, container.at(at + CAPACITY_AT), capacity);
    return at;
  }

  /// Appends a segment to a table's last one. Whoever sees it sees what is in it (the partner of
  /// the acquire above).
  void append(Container container, long segment) {
    long last = offsets[offsets.length - 1];
    Raw.LONG.setRelease(Raw.GLOBAL, container.at(last + NEXT_AT), segment);
    Reference.reachabilityFence(container);
  }

  /// Returns how many elements the table's first part has.
  long firstIndex() {
    return firsts[0];
  }

  /// Returns the place of an element behind the first part and below [#room].
  long place(long index, long strideBytes) {
    int at = segment(index);
    return offsets[at] + ObjectAccess.SEGMENT_ELEMENTS_AT + (index - firsts[at]) * strideBytes;
  }

  /// Returns whether elements behind the first part, at least one, lie in one segment.
  boolean areTogether(long from, long to) {
    return segment(from) == segment(to - 1);
  }

  /// Returns the index behind the last element that there is room for in the segment of this one.
  long end(long index) {
    int next = segment(index) + 1;
    return next < firsts.length ? firsts[next] : room;
  }

  private int segment(long index) {
    int found = Arrays.binarySearch(firsts, index);
    return found >= 0 ? found : -found - 2;
  }

  /// Returns whether it has the place of an element.
  static boolean have(@Nullable TableSegments segments, long index) {
    return segments != null && index < segments.room;
  }
}
