package dev.tigris.flow.operator;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Memory outside the heap for records of any size, which are made one after the other and given
/// back together. A record has a reference: the number of its block, and where it lies in it.
///
/// A small record lies in one line of the processor's cache if only a few bytes are lost by that:
/// a table that is looked up at random waits for each line that it reads.
///
/// Thread rule: one thread at a time; any number that only read, when it is complete.
final class Room {
  /// Blocks of this size waste nothing of the allocator's units.
  private static final int BLOCK_BYTES = 1 << 20;

  private static final int FIRST_BYTES = 64 << 10;

  /// What the bytes before a record are filled with, eight at a time, where some are left out.
  static final long GAP = -1;

  private static final int LINE_BYTES = 64;
  private static final int MOST_GAP_BYTES = 16;

  private final String owner;
  private final List<Jbuf> buffers = new ArrayList<>();
  private Bytes[] blocks = new Bytes[8];
  private int[] used = new int[8];
  private int count;

  /// The block that records are made in.
  private int current = -1;

  private long bytes;

  Room(String owner) {
    this.owner = owner;
  }

  /// Returns the reference of a new record of so many bytes, which are arbitrary, at a multiple of
  /// eight.
  long add(int size) {
    int rounded = (size + 7) & -8;
    if (!hasRoom(rounded)) {
      next(rounded);
    }
    int at = used[current];
    for (int gap = gap(at, rounded); gap > 0; gap -= Long.BYTES) {
      blocks[current].setLong(at, GAP);
      at += Long.BYTES;
    }
    used[current] = at + rounded;
    return (long) current << Integer.SIZE | at;
  }

  /// Returns how many bytes to leave out so that a record lies in one line.
  private static int gap(int at, int rounded) {
    int left = LINE_BYTES - (at & (LINE_BYTES - 1));
    return rounded <= LINE_BYTES && left < rounded && left <= MOST_GAP_BYTES ? left : 0;
  }

  private boolean hasRoom(int rounded) {
    if (current < 0) {
      return false;
    }
    int at = used[current];
    return gap(at, rounded) + rounded <= blocks[current].length() - at;
  }

  /// Returns how many bytes of memory one more record of this size takes, beyond those taken.
  long growth(int size) {
    int rounded = (size + 7) & -8;
    if (hasRoom(rounded)) {
      return 0;
    }
    boolean hasNext = current + 1 < count && rounded <= blocks[current + 1].length();
    return hasNext ? 0 : Jbuf.footprintBytes(newBytes(rounded));
  }

  private int newBytes(int size) {
    return Math.max(size, count == 0 ? FIRST_BYTES : BLOCK_BYTES);
  }

  private void next(int size) {
    if (current + 1 < count && size <= blocks[current + 1].length()) {
      current++;
      used[current] = 0;
      return;
    }
    // One that is too small for this record is left behind, and found again after the next clear.
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * count);
      used = Arrays.copyOf(used, 2 * count);
    }
    Jbuf buffer = Jbuf.allocate(newBytes(size), owner);
    buffers.add(buffer);
    blocks[count] = buffer.asBytes();
    used[count] = 0;
    bytes += Jbuf.footprintBytes(buffer.capacityBytes());
    current = count;
    count++;
  }

  Bytes block(long reference) {
    return blocks[(int) (reference >>> Integer.SIZE)];
  }

  static int offset(long reference) {
    return (int) reference;
  }

  /// Returns how much of the memory budget it takes.
  long footprintBytes() {
    return bytes;
  }

  int blocks() {
    return current + 1;
  }

  Bytes block(int number) {
    return blocks[number];
  }

  int used(int number) {
    return used[number];
  }

  /// Drops all records, and keeps the memory.
  void clear() {
    Arrays.fill(used, 0);
    current = -1;
  }

  /// Gives the memory back.
  void close() {
    blocks = new Bytes[8];
    count = 0;
    current = -1;
    bytes = 0;
    buffers.forEach(buffer -> buffer.unreference(Jbuf::free));
    buffers.clear();
  }
}
