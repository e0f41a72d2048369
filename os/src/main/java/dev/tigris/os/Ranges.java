package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// Ranges of memory that one message is sent from, or received to, in their order.
///
/// ```text
///   header 64:   0 16 | where the ranges begin 8 | how many 8 | 0 ...
///   each range:  address 8 | length 8
/// ```
///
/// The header takes 56 bytes, and the ranges are aligned behind it.
///
/// Thread rule: one at a time.
// SAFETY: bounds: each range is checked against the memory that it is of, and the ranges against
// this; lifetime: addresses only, so whoever adds memory keeps it until the call or operation that
// is given this has ended; thread: confined.
public final class Ranges {
  /// The most ranges that there may be.
  public static final int MOST = 32;

  private static final int BEGIN = 16;
  private static final int COUNT = 24;
  private static final int HEADER_BYTES = 64;
  private static final int RANGE_BYTES = 16;

  /// How much it takes where it is copied to.
  static final int BYTES = HEADER_BYTES + MOST * RANGE_BYTES;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final MemorySegment message = Arena.ofAuto().allocate(BYTES, Long.BYTES);
  private int count;

  /// While they are limited: how many there are without, and how long the last is without.
  private int wholeCount;

  private long wholeLength;

  /// Makes an empty list.
  public Ranges() {
    message.set(LONG, BEGIN, message.address() + HEADER_BYTES);
  }

  /// Removes all of them.
  public void clear() {
    count = 0;
  }

  /// Returns how many can be added.
  public int left() {
    return MOST - count;
  }

  /// Returns how many there are.
  public int count() {
    return count;
  }

  /// Adds one.
  public void add(MemorySegment memory, long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, memory.byteSize());
    Objects.checkIndex(count, MOST);
    message.set(LONG, at(count), memory.address() + offset);
    message.set(LONG, at(count) + 8, bytes);
    count++;
  }

  /// Leaves the first bytes of all out, as many as there are at the most.
  public void skip(long bytes) {
    long left = bytes;
    int first = 0;
    while (first < count && left >= length(first)) {
      left -= length(first++);
    }
    count -= first;
    MemorySegment.copy(message, at(first), message, at(0), count * (long) RANGE_BYTES);
    if (left > 0) {
      Objects.checkIndex(0, count);
      message.set(LONG, at(0), address(0) + left);
      message.set(LONG, at(0) + 8, length(0) - left);
    }
  }

  /// Has them end after so many bytes, if they would not before, until [#endLimit]. There is one at
  /// least.
  void limit(long bytes) {
    wholeCount = count;
    long left = bytes;
    int last = 0;
    while (last < count - 1 && left > length(last)) {
      left -= length(last++);
    }
    wholeLength = length(last);
    count = last + 1;
    message.set(LONG, at(last) + 8, Math.min(left, wholeLength));
  }

  void endLimit() {
    message.set(LONG, at(count - 1) + 8, wholeLength);
    count = wholeCount;
  }

  /// Returns where one begins.
  long address(int range) {
    return message.get(LONG, at(Objects.checkIndex(range, count)));
  }

  /// Returns how long one is.
  long length(int range) {
    return message.get(LONG, at(Objects.checkIndex(range, count)) + 8);
  }

  private static long at(int range) {
    return HEADER_BYTES + range * (long) RANGE_BYTES;
  }

  /// Returns the header that a call is given. The kernel writes flags and the length of control
  /// data back to it, which are zero for TCP.
  MemorySegment header() {
    message.set(LONG, COUNT, count);
    return message;
  }

  /// Writes what an operation is given, with copies of the ranges; returns its address.
  long copyTo(MemorySegment memory, long offset) {
    MemorySegment.copy(header(), 0, memory, offset, at(count));
    memory.set(LONG, offset + BEGIN, memory.address() + offset + HEADER_BYTES);
    return memory.address() + offset;
  }
}
