package dev.tigris.flow.operator;

import dev.tigris.flow.text.Hash;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.util.function.LongConsumer;

/// A hash table from keys of any bytes to a few longs each, in memory outside the heap: nothing is
/// made on the heap for a key. An entry is known by its reference, which stays the same.
///
/// ```
///   slots     [ tag | reference + 1 ] ...     open addressing, at most half full
///   entry     0        4         8        16             16 + 8 * longs
///             +--------+---------+--------+--------------+--------------------+
///             | bytes  | bytes   |  hash  | the longs    | the key, the tail  |
///             | of key | of tail |        |              |                    |
///             +--------+---------+--------+--------------+--------------------+
/// ```
///
/// Thread rule: one thread at a time; any number that only call [#find] and read, when it is
/// complete and was handed over safely.
public final class KeyTable implements AutoCloseable {
  /// Says that there is no such key, or no memory for it.
  public static final long NONE = -1;

  private static final int KEY_BYTES = 0; // never -1: an entry does not begin as a gap does
  private static final int TAIL_BYTES = 4;
  private static final int HASH = 8;
  private static final int LONGS = 16;
  private static final int FIRST_SLOTS = 1 << 10;
  private static final int REFERENCE_BITS = 48;
  private static final long REFERENCE = (1L << REFERENCE_BITS) - 1;

  private final int longs;
  private final int keyStart;
  private final long mostBytes;
  private final String owner;
  private final Room room;
  private Jbuf slotBuffer;
  private Longs slots;
  private int mask;
  private int size;
  private boolean added;

  /// Makes an empty table.
  ///
  /// @param longs how many longs a key has
  /// @param mostBytes how much memory it may take
  /// @param owner what [Jbuf#use] and messages call it
  public KeyTable(int longs, long mostBytes, String owner) {
    this.longs = longs;
    this.keyStart = LONGS + Long.BYTES * longs;
    this.mostBytes = mostBytes;
    this.owner = owner;
    this.room = new Room(owner);
    this.slotBuffer = Jbuf.allocate((long) FIRST_SLOTS * Long.BYTES, owner);
    this.slots = slotBuffer.asLongs();
    this.mask = FIRST_SLOTS - 1;
  }

  /// Returns the entry of a key, or [#NONE].
  public long find(Bytes key, long start, int length, long hash) {
    return find(candidate(hash), key, start, length, hash);
  }

  /// Returns the first entry that may be that of a key with this hash, or [#NONE] if no entry is.
  /// It reads slots only, not the entry.
  long candidate(long hash) {
    long tag = hash >>> REFERENCE_BITS;
    for (int slot = (int) hash & mask; ; slot = (slot + 1) & mask) {
      long entry = slots.get(slot);
      if (entry == 0) {
        return NONE;
      }
      if (entry >>> REFERENCE_BITS == tag) {
        return packed((entry & REFERENCE) - 1);
      }
    }
  }

  /// Returns the entry of a key as [#find(Bytes, long, int, long)] does.
  ///
  /// @param candidate what [#candidate] has returned for the hash
  long find(long candidate, Bytes key, long start, int length, long hash) {
    boolean isCertain = candidate == NONE || isKey(candidate, key, start, length, hash);
    return isCertain ? candidate : search(key, start, length, hash);
  }

  private long search(Bytes key, long start, int length, long hash) {
    long tag = hash >>> REFERENCE_BITS;
    for (int slot = (int) hash & mask; ; slot = (slot + 1) & mask) {
      long entry = slots.get(slot);
      if (entry == 0) {
        return NONE;
      }
      if (entry >>> REFERENCE_BITS == tag) {
        long reference = packed((entry & REFERENCE) - 1);
        if (isKey(reference, key, start, length, hash)) {
          return reference;
        }
      }
    }
  }

  /// Returns the entry of a key, a new one with zeros if the key has none. [#wasAdded] tells.
  /// Returns [#NONE] if it would be a new one and there is no memory left for it; an empty table
  /// has memory for one key of any size.
  public long add(Bytes key, long start, int length, long hash) {
    return add(key, start, length, hash, 0, 0);
  }

  /// Returns the entry of a key as [#add(Bytes, long, int, long)] does. A new one has room for so
  /// many bytes of the caller behind its key.
  ///
  /// @param otherBytes what the caller takes of this table's memory for itself
  long add(Bytes key, long start, int length, long hash, int tailBytes, long otherBytes) {
    long found = find(key, start, length, hash);
    added = found == NONE;
    if (!added) {
      return found;
    }
    int bytes = keyStart + length + tailBytes;
    long growth = room.growth(bytes) + (size >= mask / 2 ? slotsFootprint(2L * (mask + 1)) : 0);
    if (size > 0 && growth > 0 && footprintBytes() + otherBytes + growth > mostBytes) {
      added = false;
      return NONE;
    }
    if (size >= mask / 2) {
      grow();
    }
    long reference = room.add(bytes);
    Bytes block = room.block(reference);
    int at = Room.offset(reference);
    block.setLong(at + HASH, hash);
    block.setInt(at + KEY_BYTES, length);
    block.setInt(at + TAIL_BYTES, tailBytes);
    for (int i = 0; i < longs; i++) {
      block.setLong(at + LONGS + (long) i * Long.BYTES, 0);
    }
    key.copyTo(start, block, at + keyStart, length);
    insert(reference, hash);
    size++;
    return reference;
  }

  /// Reads what [#find] and [#add] will read for these hashes, so that the processor waits for all
  /// of it at once, and not for one after the other. Returns a number without a meaning, which the
  /// caller must store, so that the compiler does not drop the reads.
  public long prefetch(long[] hashes, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += slot(hashes[i]);
    }
    for (int i = 0; i < count; i++) {
      sum += firstWord(candidate(hashes[i]));
    }
    return sum;
  }

  /// Returns the slot that a search for this hash begins with, to be summed up as in [#prefetch].
  long slot(long hash) {
    return slots.get((int) hash & mask);
  }

  /// Returns the first bytes of an entry, to be summed up as in [#prefetch]; 0 of [#NONE].
  long firstWord(long entry) {
    return entry == NONE ? 0 : room.block(entry).getLong(Room.offset(entry));
  }

  /// Returns whether the last [#add] made a new entry.
  public boolean wasAdded() {
    return added;
  }

  private boolean isKey(long reference, Bytes key, long start, int length, long hash) {
    Bytes block = room.block(reference);
    int at = Room.offset(reference);
    if (block.getLong(at + HASH) != hash || block.getInt(at + KEY_BYTES) != length) {
      return false;
    }
    return Hash.areEqual(block, at + (long) keyStart, key, start, length);
  }

  /// A reference in the bits of a slot: 20 for the block, which has 1 MiB but for a large entry at
  /// its beginning, and 28 for where the entry lies in it.
  private static long packed(long slot) {
    return (slot >>> 28) << Integer.SIZE | (slot & ((1 << 28) - 1));
  }

  private static long unpacked(long reference) {
    return (reference >>> Integer.SIZE) << 28 | Room.offset(reference);
  }

  private void insert(long reference, long hash) {
    int slot = (int) hash & mask;
    while (slots.get(slot) != 0) {
      slot = (slot + 1) & mask;
    }
    slots.set(slot, hash >>> REFERENCE_BITS << REFERENCE_BITS | (unpacked(reference) + 1));
  }

  private void grow() {
    int larger = Math.multiplyExact(mask + 1, 2);
    Jbuf before = slotBuffer;
    slotBuffer = Jbuf.allocate((long) larger * Long.BYTES, owner); // or the table is as it was
    slots = slotBuffer.asLongs();
    mask = larger - 1;
    before.unreference(Jbuf::free);
    forEach(reference -> insert(reference, hash(reference)));
  }

  private static long slotsFootprint(long slots) {
    return Jbuf.footprintBytes(slots * Long.BYTES);
  }

  /// Calls back with each entry, in the order in which they were added.
  public void forEach(LongConsumer action) {
    for (int number = 0; number < room.blocks(); number++) {
      Bytes block = room.block(number);
      int end = room.used(number);
      for (int at = 0; at < end; ) {
        if (block.getLong(at) == Room.GAP) {
          at += Long.BYTES;
          continue;
        }
        int parts = block.getInt(at + KEY_BYTES) + block.getInt(at + TAIL_BYTES);
        int bytes = (keyStart + parts + 7) & -8;
        action.accept((long) number << Integer.SIZE | at);
        at += bytes;
      }
    }
  }

  // -- Entries.

  /// Returns a long of an entry.
  public long get(long entry, int index) {
    return room.block(entry).getLong(Room.offset(entry) + LONGS + (long) index * Long.BYTES);
  }

  /// Sets a long of an entry.
  public void set(long entry, int index, long value) {
    room.block(entry).setLong(Room.offset(entry) + LONGS + (long) index * Long.BYTES, value);
  }

  /// Returns the bytes that an entry's key lies in, from [#keyStart] on.
  public Bytes bytes(long entry) {
    return room.block(entry);
  }

  /// Returns where an entry's key begins in [#bytes].
  public int keyStart(long entry) {
    return Room.offset(entry) + keyStart;
  }

  /// Returns how many bytes an entry's key has.
  public int keyLength(long entry) {
    return room.block(entry).getInt(Room.offset(entry) + KEY_BYTES);
  }

  /// Returns the hash of an entry's key.
  public long hash(long entry) {
    return room.block(entry).getLong(Room.offset(entry) + HASH);
  }

  /// Returns how many keys there are.
  public int size() {
    return size;
  }

  /// Returns how much of the process's memory budget the table takes.
  public long footprintBytes() {
    return room.footprintBytes() + slotsFootprint(mask + 1L);
  }

  /// Drops all keys, and keeps the memory.
  public void clear() {
    for (int slot = 0; slot <= mask; slot++) {
      slots.set(slot, 0);
    }
    room.clear();
    size = 0;
  }

  /// Gives the memory back. The table must not be used afterwards.
  @Override
  public void close() {
    room.close();
    slotBuffer.unreference(Jbuf::free);
  }
}
