package dev.tigris.flow.operator;

import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.io.UncheckedIOException;

/// A row as it goes to a temporary file.
///
/// ```
///   | bytes of the key | the key | bytes of each value | the values |
/// ```
///
/// Thread rule: one thread at a time.
final class RowCode implements AutoCloseable {
  private Jbuf buffer = Jbuf.allocate(1 << 10, "join");
  private Bytes bytes = buffer.asBytes();
  private int length;

  /// Returns the bytes that the row lies in, from 0 on.
  Bytes bytes() {
    return bytes;
  }

  private void reserve(int needed) {
    if (needed > bytes.length()) {
      Jbuf before = buffer;
      buffer = Jbuf.allocate(2L * needed, "join");
      bytes = buffer.asBytes();
      before.unreference(Jbuf::free);
    }
    length = needed;
  }

  /// Encodes the row of a cursor, with the values of these fields.
  void encode(Rows rows, int keyField, int[] kept) {
    int key = rows.length(keyField);
    reserve(Integer.BYTES + key + RowTable.valuesBytes(rows, kept));
    bytes.setInt(0, key);
    rows.bytes(keyField).copyTo(rows.start(keyField), bytes, Integer.BYTES, key);
    RowTable.writeValues(rows, kept, bytes, Integer.BYTES + (long) key);
  }

  /// Writes the row that was encoded last.
  void spill(long hash, Spill to) throws IOException {
    to.add(hash, bytes, 0, length);
  }

  /// Moves all rows of a table to files.
  void spill(RowTable table, Spill to) throws IOException {
    try {
      table.keys.forEach(
          entry -> {
            try {
              spill(table, entry, table.keys.bytes(entry), table.firstValues(entry), to);
              for (long row = table.second(entry); row != KeyTable.NONE; row = table.next(row)) {
                spill(table, entry, table.block(row), RowTable.values(row), to);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    table.clear();
  }

  private void spill(RowTable table, long entry, Bytes block, int at, Spill to) throws IOException {
    int key = table.keys.keyLength(entry);
    int values = table.valuesBytes(block, at);
    reserve(Integer.BYTES + key + values);
    bytes.setInt(0, key);
    table.keys.bytes(entry).copyTo(table.keys.keyStart(entry), bytes, Integer.BYTES, key);
    block.copyTo(at, bytes, Integer.BYTES + (long) key, values);
    spill(table.keys.hash(entry), to);
  }

  /// Gives its memory back. It must not be used afterwards.
  @Override
  public void close() {
    buffer.unreference(Jbuf::free);
  }
}
