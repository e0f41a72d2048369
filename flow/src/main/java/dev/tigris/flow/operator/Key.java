package dev.tigris.flow.operator;

import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.List;

/// The key of a row: the value of one column where it lies, or those of several, each behind its
/// length, so that different values make different keys.
final class Key {
  private final List<String> columns;
  private final int[] fields;
  private Jbuf buffer = Jbuf.allocate(256, "key");
  private Bytes several = buffer.asBytes();
  private Bytes bytes = several;
  private int start;
  private int length;

  Key(List<String> columns) {
    this.columns = List.copyOf(columns);
    this.fields = new int[columns.size()];
  }

  /// Finds the columns of the rows that come next.
  void open(Rows rows) {
    for (int i = 0; i < fields.length; i++) {
      fields[i] = rows.column(columns.get(i));
    }
  }

  /// Reads the key of a row.
  void read(Rows rows) {
    if (fields.length == 1) {
      int field = fields[0];
      bytes = rows.bytes(field);
      start = rows.start(field);
      length = rows.length(field);
      return;
    }
    int needed = 0;
    for (int field : fields) {
      needed += Integer.BYTES + rows.length(field);
    }
    if (needed > several.length()) {
      buffer.unreference(Jbuf::free);
      buffer = Jbuf.allocate(2L * needed, "key");
      several = buffer.asBytes();
    }
    int at = 0;
    for (int field : fields) {
      int size = rows.length(field);
      several.setInt(at, size);
      rows.bytes(field).copyTo(rows.start(field), several, at + Integer.BYTES, size);
      at += Integer.BYTES + size;
    }
    bytes = several;
    start = 0;
    length = at;
  }

  /// Gives its memory back. The key must not be used afterwards.
  void close() {
    buffer.unreference(Jbuf::free);
  }

  Bytes bytes() {
    return bytes;
  }

  int start() {
    return start;
  }

  int length() {
    return length;
  }

  long hash() {
    return Hash.of(bytes, start, length);
  }

  /// Writes the values of a key as fields.
  void write(Bytes from, int keyStart, int keyLength, RowWriter to) {
    if (fields.length == 1) {
      to.value(from, keyStart, keyLength);
      return;
    }
    int at = keyStart;
    for (int i = 0; i < fields.length; i++) {
      int size = from.getInt(at);
      to.value(from, at + Integer.BYTES, size);
      at += Integer.BYTES + size;
    }
  }
}
