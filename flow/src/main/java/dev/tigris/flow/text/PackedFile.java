package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A file that is read from its beginning to its end, since it is compressed or has no size. A
/// thread that wants rows reads the next ones, and leaves the beginning of the row after them to
/// the next thread.
final class PackedFile extends TextFile {
  private final InputStream in;
  private final int blockBytes;
  private final byte[] head;
  private byte @Nullable [] names;

  // Guarded by this file's lock.
  private byte[] block = {};

  /// How many bytes of the next rows were read.
  private int begun;

  /// Where it lies in what the file holds.
  private long offset;

  /// Whether the names of the columns still have to be told, by a water without rows if need be.
  private boolean tellsNames;

  private volatile boolean ended;

  PackedFile(Path path, TextFormat format, int blockBytes) throws IOException {
    super(path, format);
    this.blockBytes = blockBytes;
    this.in = Packed.open(path);
    boolean opened = false;
    try {
      readNames();
      this.head = Batch.head(path.toString(), names, format);
      tellsNames = names != null;
      opened = true;
    } catch (IOException e) {
      throw failed(e);
    } finally {
      if (!opened) {
        in.close();
      }
    }
  }

  private void readNames() throws IOException {
    byte[] mark = in.readNBytes(3);
    int markBytes = format.isCsv() ? markBytes(mark, mark.length) : 0;
    offset = markBytes;
    var text = new ByteArrayOutputStream();
    text.write(mark, markBytes, mark.length - markBytes);
    if (!format.hasHeader()) {
      keep(text.toByteArray(), 0);
      return;
    }
    boolean inside = false;
    int at = 0;
    while (true) {
      byte[] read = text.toByteArray();
      for (; at < read.length; at++) {
        if (read[at] == Scan.QUOTE) {
          inside ^= format.isCsv();
        } else if (read[at] == Scan.LINE_FEED && !inside) {
          names = trimmed(read, 0, at);
          keep(read, at + 1);
          return;
        }
      }
      byte[] more = in.readNBytes(Math.max(1 << 10, read.length));
      if (more.length == 0) {
        if (inside) {
          throw endsInQuotes(0);
        }
        names = read.length == 0 ? null : trimmed(read, 0, read.length);
        keep(read, read.length);
        return;
      }
      if (read.length > MOST_NAMES_BYTES) {
        throw new TextException(
            "%s has a first row of more than %d bytes: look whether a quote in it has no end"
                .formatted(path, MOST_NAMES_BYTES));
      }
      text.write(more, 0, more.length);
    }
  }

  private void keep(byte[] text, int from) {
    block = Arrays.copyOfRange(text, from, Math.max(text.length, from + blockBytes));
    begun = text.length - from;
    offset += from;
  }

  @Override
  byte @Nullable [] names() {
    return names;
  }

  @Override
  boolean hasMore() {
    return !ended;
  }

  @Override
  long takeBlock() {
    return 0;
  }

  @Override
  @Nullable Water read(long number, BufferSpring spring) throws IOException {
    synchronized (this) {
      try {
        return readRows(spring);
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }

  private @Nullable Water readRows(BufferSpring spring) throws IOException {
    int rows = 0;
    boolean inside = false;
    long quotes = 0;
    int counted = 0;
    while (rows == 0 && !ended) {
      if (begun == block.length) {
        if (begun > TextFeed.MOST_ROW_BYTES) {
          throw rowTooLong(offset);
        }
        block = Arrays.copyOf(block, Math.min(2 * begun, TextFeed.MOST_ROW_BYTES + 1));
      }
      int read = in.readNBytes(block, begun, block.length - begun);
      int length = begun + read;
      ended = length < block.length;
      for (; counted < length; counted++) {
        quotes += block[counted] == Scan.QUOTE ? 1 : 0;
      }
      inside = format.isCsv() && (quotes & 1) != 0;
      if (ended && inside) {
        throw endsInQuotes(offset + lastRow(length));
      }
      begun = length;
      rows = ended ? length : lastRow(length);
    }
    if (rows == 0) {
      boolean tells = tellsNames;
      tellsNames = false;
      return tells ? noRows(spring, head, offset) : null;
    }
    tellsNames = false;
    Water water = spring.createWater(head.length + rows);
    Bytes bytes = water.bytes();
    bytes.copyFrom(head.length, block, 0, rows);
    Batch.begin(bytes, head, head.length, offset, quotes > 0);
    water.setSize(head.length + rows);
    System.arraycopy(block, rows, block, 0, begun - rows);
    begun -= rows;
    offset += rows;
    return water;
  }

  /// Returns where the row begins that is not whole in the first bytes of the block.
  private int lastRow(int length) {
    int last = 0;
    boolean inside = false;
    for (int at = 0; at < length; at++) {
      if (block[at] == Scan.QUOTE) {
        inside ^= format.isCsv();
      } else if (block[at] == Scan.LINE_FEED && !inside) {
        last = at + 1;
      }
    }
    return last;
  }

  @Override
  void close() throws IOException {
    in.close();
  }
}
