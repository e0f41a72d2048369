package dev.tigris.memory.arrow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The content of a message with rows: for each column, and each part of one, a node; and their
/// buffers, in the order of the schema.
///
/// Thread rule: one thread.
final class Batch {
  /// Where a buffer begins is a multiple of it.
  static final int ALIGNMENT = 64;

  private final List<byte[]> buffers = new ArrayList<>();
  private long[] nodes = new long[32];
  private int nodeNumbers;
  private long[] places = new long[64];
  private int placeNumbers;
  private long bodyBytes;
  private @Nullable ArrowCompression compression;

  private static long[] grown(long[] numbers, int needed) {
    return needed <= numbers.length ? numbers : Arrays.copyOf(numbers, 2 * needed);
  }

  void node(long rows, long nulls) {
    nodes = grown(nodes, nodeNumbers + 2);
    nodes[nodeNumbers++] = rows;
    nodes[nodeNumbers++] = nulls;
  }

  /// Adds the first `length` bytes of an array, which stay as they are until the batch is written.
  void buffer(byte[] bytes, int length) {
    places = grown(places, placeNumbers + 2);
    places[placeNumbers++] = bodyBytes;
    places[placeNumbers++] = length;
    buffers.add(bytes);
    bodyBytes += padded(length);
  }

  /// Adds an empty buffer, such as that of the nulls of a column without any.
  void noNulls() {
    buffer(new byte[0], 0);
  }

  static long padded(long length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  long bodyBytes() {
    return bodyBytes;
  }

  /// Compresses the buffers: each becomes eight bytes with its size and a frame, or -1 and the
  /// bytes as they were, where a frame is not smaller.
  void compress(ArrowCompression by, ArrowCompression.Frames frames) {
    compression = by;
    List<byte[]> plain = List.copyOf(buffers);
    int numbers = placeNumbers;
    buffers.clear();
    placeNumbers = 0;
    bodyBytes = 0;
    for (int i = 0; i < numbers; i += 2) {
      int length = (int) places[i + 1]; // before it is replaced
      byte[] bytes = plain.get(i / 2);
      if (length == 0) {
        noNulls();
        continue;
      }
      byte[] frame = frames.of(bytes, length);
      boolean isSmaller = frame.length < length;
      int kept = isSmaller ? frame.length : length;
      byte[] made = new byte[Long.BYTES + kept];
      Growing.LONG.set(made, 0, isSmaller ? (long) length : -1L);
      System.arraycopy(isSmaller ? frame : bytes, 0, made, Long.BYTES, kept);
      buffer(made, made.length);
    }
  }

  /// Writes the metadata.
  int encode(FlatBuilder out, long rows) {
    int compressed = 0;
    ArrowCompression by = compression;
    if (by != null) {
      out.begin(1);
      out.byteField(0, by.number);
      compressed = out.end();
    }
    int placed = out.longs(places, placeNumbers, 2);
    int counted = out.longs(nodes, nodeNumbers, 2);
    out.begin(4);
    out.longField(0, rows);
    if (compressed != 0) {
      out.offsetField(3, compressed);
    }
    out.offsetField(1, counted);
    out.offsetField(2, placed);
    return out.end();
  }

  /// Writes the buffers, each with zeros behind it up to the next one.
  void writeBody(Sink sink) throws java.io.IOException {
    for (int i = 0; i < buffers.size(); i++) {
      int length = (int) places[2 * i + 1];
      sink.write(buffers.get(i), length);
      sink.zeros((int) (padded(length) - length));
    }
  }

  void clear() {
    buffers.clear();
    nodeNumbers = 0;
    placeNumbers = 0;
    bodyBytes = 0;
    compression = null;
  }
}
