package dev.tigris.spark;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Records in waters, as they come from Spark and go back to it. A record is its bytes, behind
/// their number:
///
/// ```
///   0          4              4 + length   ...
///   +----------+--------------+------------+---
///   | length   | bytes        | length     | ...
///   | int32 LE | length bytes | int32 LE   |
///   +----------+--------------+------------+---
/// ```
///
/// Thread rule: one thread for each object.
public final class Records {
  private static final int USUAL_BYTES = 64 << 10;

  private Records() {}

  /// Hears of records.
  @FunctionalInterface
  public interface Each {
    /// A record.
    ///
    /// @throws Exception if a module cannot go on: its flow fails
    void record(byte[] bytes) throws Exception;
  }

  /// Reads the records of a water.
  ///
  /// @throws IllegalArgumentException if it has something else
  /// @throws Exception what `each` throws
  public static void each(Water water, Each each) throws Exception {
    Bytes data = water.bytes();
    long size = water.size();
    byte[] head = new byte[Integer.BYTES];
    for (long at = 0; at < size; ) {
      if (size - at < Integer.BYTES) {
        throw notRecords(at, size);
      }
      data.copyTo(at, head, 0, Integer.BYTES);
      int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt();
      at += Integer.BYTES;
      if (length < 0 || length > size - at) {
        throw notRecords(at, size);
      }
      byte[] record = new byte[length];
      data.copyTo(at, record, 0, length);
      at += length;
      each.record(record);
    }
  }

  private static IllegalArgumentException notRecords(long at, long size) {
    return new IllegalArgumentException(
        "a water of %d bytes has no record at %d: let the module before put waters by Records.Writer"
            .formatted(size, at));
  }

  /// Puts records on streams, in waters of 64 KiB or of one larger record.
  public static final class Writer {
    private @Nullable Water water;
    private int used;

    /// Makes a writer, for the waters of one module.
    public Writer() {}

    /// Adds a record. If the water is full, it is put first.
    ///
    /// @param out the stream of this call of the module
    public void put(Stream out, byte[] record) {
      int needed = Math.addExact(Integer.BYTES, record.length);
      Water open = water;
      if (open != null && open.capacity() - used < needed) {
        flush(out);
        open = null;
      }
      if (open == null) {
        open = out.spring().createWater(Math.max(USUAL_BYTES, needed));
        water = open;
      }
      byte[] head = new byte[Integer.BYTES];
      ByteBuffer _ = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).putInt(record.length);
      open.bytes().copyFrom(used, head, 0, Integer.BYTES);
      open.bytes().copyFrom(used + Integer.BYTES, record, 0, record.length);
      used += needed;
    }

    /// Puts what is left. A module calls it in `finish` at the latest. One whose streams differ
    /// from call to call does so at the end of each call.
    public void flush(Stream out) {
      Water open = water;
      if (open != null) {
        open.setSize(used);
        out.put(open);
        water = null;
        used = 0;
      }
    }
  }
}
