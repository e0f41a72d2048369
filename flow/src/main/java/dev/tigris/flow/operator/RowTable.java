package dev.tigris.flow.operator;

import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;

/// Rows by their keys, in memory outside the heap. The first row of a key lies behind it in its
/// entry, the others in rows of their own.
///
/// ```
///   entry     | next row | last row | key    | values |
///   row       | next row | values |
///   values    | bytes of each value | the values |
/// ```
///
/// Thread rule: one thread at a time; any number that only read, when it is complete and was handed
/// over safely.
final class RowTable implements AutoCloseable {
  private static final int NEXT = 0;
  private static final int LAST = 1;

  final KeyTable keys;
  private final Room rows;
  private final int columns;
  private final long memoryBytes;

  /// Whether the last row was placed behind a new key.
  private boolean isInEntry;

  RowTable(int columns, long memoryBytes, String owner) {
    this.columns = columns;
    this.memoryBytes = memoryBytes;
    this.rows = new Room(owner);
    this.keys = new KeyTable(2, memoryBytes, owner);
  }

  long memoryBytes() {
    return memoryBytes;
  }

  long footprintBytes() {
    return keys.footprintBytes() + rows.footprintBytes();
  }

  /// Returns how many bytes the values of these fields take.
  static int valuesBytes(Rows from, int[] fields) {
    int size = Integer.BYTES * fields.length;
    for (int field : fields) {
      size += from.length(field);
    }
    return size;
  }

  /// Writes the values of these fields.
  static void writeValues(Rows from, int[] fields, Bytes to, long at) {
    long value = at + (long) Integer.BYTES * fields.length;
    for (int i = 0; i < fields.length; i++) {
      int length = from.length(fields[i]);
      to.setInt(at + (long) i * Integer.BYTES, length);
      from.bytes(fields[i]).copyTo(from.start(fields[i]), to, value, length);
      value += length;
    }
  }

  /// Adds a row, unless there is no memory for it. An empty table has memory for one row of any
  /// size.
  ///
  /// @param hash that of the key
  boolean tryAdd(Rows from, int keyField, long hash, int[] fields) {
    int size = valuesBytes(from, fields);
    int length = from.length(keyField);
    long place = place(from.bytes(keyField), from.start(keyField), length, hash, size);
    if (place == KeyTable.NONE) {
      return false;
    }
    writeValues(from, fields, placeBlock(place), placeStart(place));
    return true;
  }

  /// Adds a row whose values are written already, unless there is no memory for it.
  boolean tryAdd(Bytes from, long key, int keyLength, long hash, long values, int valuesBytes) {
    long place = place(from, key, keyLength, hash, valuesBytes);
    if (place == KeyTable.NONE) {
      return false;
    }
    from.copyTo(values, placeBlock(place), placeStart(place), valuesBytes);
    return true;
  }

  /// Makes room for the values of a row. Returns the entry or the row that they belong to, or
  /// [KeyTable#NONE].
  private long place(Bytes key, long start, int length, long hash, int size) {
    long entry = keys.add(key, start, length, hash, size, rows.footprintBytes());
    if (entry == KeyTable.NONE) {
      return entry;
    }
    isInEntry = keys.wasAdded();
    if (isInEntry) {
      keys.set(entry, NEXT, KeyTable.NONE);
      keys.set(entry, LAST, KeyTable.NONE);
      return entry;
    }
    long growth = rows.growth(Long.BYTES + size);
    if (growth > 0 && footprintBytes() + growth > memoryBytes) {
      return KeyTable.NONE;
    }
    long row = rows.add(Long.BYTES + size);
    rows.block(row).setLong(Room.offset(row), KeyTable.NONE);
    long last = keys.get(entry, LAST);
    if (last == KeyTable.NONE) {
      keys.set(entry, NEXT, row);
    } else {
      rows.block(last).setLong(Room.offset(last), row);
    }
    keys.set(entry, LAST, row);
    return row;
  }

  private Bytes placeBlock(long place) {
    return isInEntry ? keys.bytes(place) : rows.block(place);
  }

  private int placeStart(long place) {
    return isInEntry
        ? keys.keyStart(place) + keys.keyLength(place)
        : Room.offset(place) + Long.BYTES;
  }

  // -- The rows of a key, one after the other.

  /// Returns the second row of a key, or [KeyTable#NONE].
  long second(long entry) {
    return keys.get(entry, NEXT);
  }

  /// Returns the row behind another one that is not the first, or [KeyTable#NONE].
  long next(long row) {
    return rows.block(row).getLong(Room.offset(row));
  }

  /// Returns the bytes that the values of a row lie in that is not the first.
  Bytes block(long row) {
    return rows.block(row);
  }

  /// Returns where the values of such a row begin.
  static int values(long row) {
    return Room.offset(row) + Long.BYTES;
  }

  /// Returns where the values of a key's first row begin in the bytes of its entry.
  int firstValues(long entry) {
    return keys.keyStart(entry) + keys.keyLength(entry);
  }

  /// Returns how many bytes the values take that begin here.
  int valuesBytes(Bytes bytes, int at) {
    int size = Integer.BYTES * columns;
    for (int i = 0; i < columns; i++) {
      size += bytes.getInt(at + (long) i * Integer.BYTES);
    }
    return size;
  }

  /// Returns where a value begins among the values that begin at `at`.
  static int value(Bytes bytes, int at, int columns, int column) {
    int start = at + Integer.BYTES * columns;
    for (int i = 0; i < column; i++) {
      start += bytes.getInt(at + (long) i * Integer.BYTES);
    }
    return start;
  }

  void clear() {
    keys.clear();
    rows.clear();
  }

  /// Gives the memory back. The table must not be used afterwards.
  @Override
  public void close() {
    keys.close();
    rows.close();
  }
}
