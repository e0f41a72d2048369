package dev.tigris.flow.text;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The format of a water of text: a head that says what the text is and where it comes from, and
/// whole rows. It is little-endian.
///
/// ```
///   0       4        8         16      17          18     20       24        28    32
/// +-------+--------+---------+-------+-----------+------+--------+---------+-----+---------------+
///   | magic | first  | offset  | flags | separator | zero | bytes  | bytes   | zero| name of the |
///   |       | row at | in file |       |           |      | of name| of names|     | file, names |
/// +-------+--------+---------+-------+-----------+------+--------+---------+-----+---------------+
/// ```
///
/// The names are the first row of CSV, without its end; -1 bytes of names means that there is none.
/// The rows follow, up to the water's size. Bytes between the names and the first row have no
/// meaning.
final class Batch {
  static final int MAGIC = 0x54584554; // "TEXT"
  static final int HEAD_BYTES = 32;

  /// Fields may stand in quotes, and rows may end with a return before the line feed.
  static final int CSV = 1;

  /// A quote occurs in the rows.
  static final int QUOTES = 2;

  static final int FIRST = 4;
  static final int OFFSET = 8;
  static final int FLAGS = 16;
  private static final int SEPARATOR = 17;
  private static final int NAME_BYTES = 20;
  private static final int NAMES_BYTES = 24;

  private Batch() {}

  /// Returns the head of the batches of a file, with an offset and flags to be set in each.
  static byte[] head(String file, byte @Nullable [] names, TextFormat format) {
    byte[] name = file.getBytes(StandardCharsets.UTF_8);
    int namesBytes = names == null ? 0 : names.length;
    var head = new byte[HEAD_BYTES + name.length + namesBytes];
    putInt(head, 0, MAGIC);
    putInt(head, FIRST, head.length);
    head[FLAGS] = (byte) (format.isCsv() ? CSV : 0);
    head[SEPARATOR] = format.separator();
    putInt(head, NAME_BYTES, name.length);
    putInt(head, NAMES_BYTES, names == null ? -1 : namesBytes);
    System.arraycopy(name, 0, head, HEAD_BYTES, name.length);
    if (names != null) {
      System.arraycopy(names, 0, head, HEAD_BYTES + name.length, namesBytes);
    }
    return head;
  }

  private static void putInt(byte[] to, int at, int value) {
    for (int i = 0; i < Integer.BYTES; i++) {
      to[at + i] = (byte) (value >>> (i * Byte.SIZE));
    }
  }

  /// Writes the head of a batch.
  ///
  /// @param first where the first row begins in the water
  /// @param offset where it begins in the file
  static void begin(Bytes to, byte[] head, int first, long offset, boolean hasQuotes) {
    to.copyFrom(0, head, 0, head.length);
    to.setInt(FIRST, first);
    to.setLong(OFFSET, offset);
    to.set(FLAGS, (byte) (head[FLAGS] | (hasQuotes ? QUOTES : 0)));
  }

  /// Refuses a water that is not a batch of text.
  static void check(Water water) {
    Bytes bytes = water.bytes();
    int size = water.size();
    boolean known = size >= HEAD_BYTES && bytes.getInt(0) == MAGIC;
    if (known) {
      long names = Math.max(0, bytes.getInt(NAMES_BYTES));
      long end = HEAD_BYTES + (long) bytes.getInt(NAME_BYTES) + names;
      int first = bytes.getInt(FIRST);
      known = bytes.getInt(NAME_BYTES) >= 0 && first >= end && first <= size;
    }
    if (!known) {
      throw new TextException(
          "a water of %d bytes is not a batch of rows: feed this stage with rows of Csv or Lines, or make them with a RowWriter"
              .formatted(size));
    }
  }

  static int first(Bytes batch) {
    return batch.getInt(FIRST);
  }

  static long offset(Bytes batch) {
    return batch.getLong(OFFSET);
  }

  static boolean isCsv(Bytes batch) {
    return (batch.get(FLAGS) & CSV) != 0;
  }

  static boolean hasQuotes(Bytes batch) {
    return (batch.get(FLAGS) & (CSV | QUOTES)) == (CSV | QUOTES);
  }

  static byte separator(Bytes batch) {
    return batch.get(SEPARATOR);
  }

  static String file(Bytes batch) {
    var name = new byte[batch.getInt(NAME_BYTES)];
    batch.copyTo(HEAD_BYTES, name, 0, name.length);
    return new String(name, StandardCharsets.UTF_8);
  }

  static boolean hasNames(Bytes batch) {
    return batch.getInt(NAMES_BYTES) >= 0;
  }

  static int namesBegin(Bytes batch) {
    return HEAD_BYTES + batch.getInt(NAME_BYTES);
  }

  static int namesBytes(Bytes batch) {
    return Math.max(0, batch.getInt(NAMES_BYTES));
  }

  static byte[] names(Bytes batch) {
    var names = new byte[namesBytes(batch)];
    batch.copyTo(namesBegin(batch), names, 0, names.length);
    return names;
  }
}
