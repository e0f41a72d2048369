package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A file that is read at any position. It ends where it ended when it was opened.
///
/// ```
///   names   block 0          block 1          block 2
///   |-------|----------------|----------------|-----------|
///           [ a row ][ a row ] [ row ][ a row    ][ row ]
///           rows of block 0           rows of block 1   of block 2
/// ```
///
/// A row belongs to the block that its first byte lies in. So a thread reads a block, the byte
/// before it, which may be the end of a row, and behind it as much as its last row needs.
final class PlainFile extends TextFile {
  private static final int NAMES_STEP_BYTES = 16 << 10;

  /// Bounds what [QuoteParity] keeps: three bytes for each block.
  private static final int MOST_BLOCKS = 1 << 24;

  /// Most rows end within so many bytes behind their block.
  private static final int TAIL_BYTES = 1 << 10;

  private final TextBytes channel;
  private final long size;
  private final int blockBytes;
  private final byte[] head;
  private final @Nullable QuoteParity parity;
  private final int blocks;
  private byte @Nullable [] names;

  /// Where the first block begins.
  private long firstByte;

  private int taken;

  PlainFile(Path path, TextFormat format, int blockBytes) throws IOException {
    super(path, format);
    this.channel = TextBytes.open(path);
    boolean opened = false;
    try {
      this.size = channel.size();
      readNames();
      long least = Math.ceilDiv(size - firstByte, MOST_BLOCKS);
      this.blockBytes = (int) Math.max(blockBytes, least);
      // A file without rows has one block, which tells the names of the columns.
      int fewest = names == null ? 0 : 1;
      this.blocks = Math.max(fewest, (int) Math.ceilDiv(size - firstByte, (long) this.blockBytes));
      this.head = Batch.head(path.toString(), names, format);
      this.parity = format.isCsv() ? new QuoteParity(blocks) : null;
      opened = true;
    } catch (IOException e) {
      throw failed(e);
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  private void readNames() throws IOException {
    byte[] text = {};
    int mark = 0;
    boolean inside = false;
    int at = 0;
    while (true) {
      int length = (int) Math.min(size, text.length + (long) NAMES_STEP_BYTES);
      boolean ended = length == text.length;
      int before = text.length;
      text = Arrays.copyOf(text, length);
      fill(ByteBuffer.wrap(text, before, length - before), before);
      if (before == 0) {
        mark = format.isCsv() ? markBytes(text, length) : 0;
        at = mark;
        if (!format.hasHeader()) {
          firstByte = mark;
          return;
        }
      }
      for (; at < length; at++) {
        if (text[at] == Scan.QUOTE) {
          inside ^= format.isCsv();
        } else if (text[at] == Scan.LINE_FEED && !inside) {
          names = trimmed(text, mark, at);
          firstByte = at + 1L;
          return;
        }
      }
      if (ended) {
        if (inside) {
          throw endsInQuotes(0);
        }
        names = length == mark ? null : trimmed(text, mark, length);
        firstByte = size;
        return;
      }
      if (length > MOST_NAMES_BYTES) {
        throw new TextException(
            "%s has a first row of more than %d bytes: look whether a quote in it has no end"
                .formatted(path, MOST_NAMES_BYTES));
      }
    }
  }

  @Override
  byte @Nullable [] names() {
    return names;
  }

  @Override
  boolean hasMore() {
    return taken < blocks;
  }

  @Override
  long takeBlock() {
    return taken++;
  }

  @Override
  @Nullable Water read(long block, BufferSpring spring) throws IOException, InterruptedException {
    if (firstByte == size) {
      return noRows(spring, head, size);
    }
    long start = firstByte + block * blockBytes;
    long end = Math.min(size, start + blockBytes);
    Part part = null;
    boolean settled = false;
    boolean used = false;
    try {
      part = new Part(spring, block == 0 ? start : start - 1, start, end);
      part.more(end + TAIL_BYTES);
      long quotes = 0;
      boolean inside = false;
      if (parity != null) {
        quotes = part.quotes();
        boolean isOdd = (quotes & 1) != 0;
        settled = true; // which `inside` notes first of all; then it may wait, and be interrupted
        inside = parity.inside((int) block, isOdd);
      }
      used = part.findRows(block == 0, quotes, inside);
      return used ? part.water : null;
    } catch (IOException e) {
      throw failed(e);
    } finally {
      if (!settled && parity != null) {
        parity.fail();
      }
      if (!used && part != null) {
        spring.takeBack(part.water);
      }
    }
  }

  /// Reads until the buffer is full.
  private void fill(ByteBuffer buffer, long position) throws IOException {
    long at = position;
    while (buffer.hasRemaining()) {
      int read = channel.read(buffer, at);
      if (read < 0) {
        throw new IOException(
            "the file was cut short while it was read: it had %d bytes and now ends after %d"
                .formatted(size, at));
      }
      at += read;
    }
  }

  @Override
  void close() throws IOException {
    channel.close();
  }

  /// A water with the bytes of the file from `from` on, as they lie behind the head: what is at
  /// `position` in the file is at `head.length + position - from` in the water.
  private final class Part {
    private final BufferSpring spring;
    private final long from;
    private final long start;
    private final long end;
    private Water water;
    private Bytes bytes;

    /// Up to where the file was read.
    private long read;

    Part(BufferSpring spring, long from, long start, long end) {
      this.spring = spring;
      this.from = from;
      this.start = start;
      this.end = end;
      this.read = from;
      this.water = spring.createWater(head.length + 1 + blockBytes + TAIL_BYTES);
      this.bytes = water.bytes();
    }

    private int index(long position) {
      return (int) (head.length + position - from);
    }

    /// Reads up to a position in the file, or the file's end, into this water or a larger one.
    private void more(long position) throws IOException {
      long to = Math.min(size, position);
      if (index(to) > water.capacity()) {
        Water larger = spring.createWater((int) (head.length + to - from));
        bytes.copyTo(0, larger.bytes(), 0, index(read));
        spring.takeBack(water);
        water = larger;
        bytes = larger.bytes();
      }
      fill(bytes.slice(index(read), to - read).byteBuffer(), read);
      read = to;
    }

    private long quotes() {
      return Scan.count(bytes, index(start), index(end), Scan.QUOTE);
    }

    /// Finds the rows that begin in the block, and makes a batch of them. Returns false if there
    /// are none.
    private boolean findRows(boolean isFirst, long quotes, boolean inside) throws IOException {
      long first = isFirst ? index(start) : firstRow(quotes, inside);
      if (first >= index(end)) {
        return false;
      }
      long firstPosition = from + first - head.length;
      boolean endsInside = inside ^ ((quotes & 1) != 0);
      long last = index(end);
      if (endsInside || bytes.get(last - 1) != Scan.LINE_FEED) {
        last = endOfLastRow(endsInside, firstPosition);
        quotes += parity == null ? 0 : Scan.count(bytes, index(end), last, Scan.QUOTE);
      }
      Batch.begin(bytes, head, (int) first, firstPosition, quotes > 0);
      water.setSize((int) last);
      return true;
    }

    private long firstRow(long quotes, boolean inside) {
      int at = index(start);
      int to = index(end);
      if (!inside && bytes.get(at - 1) == Scan.LINE_FEED) {
        return at;
      }
      if (inside && quotes == 0) {
        return to;
      }
      return Scan.findRowEnd(bytes, at, to, quotes > 0, inside) + 1;
    }

    /// Returns where the row ends that goes on behind the block.
    private long endOfLastRow(boolean endsInside, long firstRow) throws IOException {
      long looked = end;
      boolean inside = endsInside;
      while (true) {
        long found = Scan.findRowEnd(bytes, index(looked), index(read), parity != null, inside);
        if (found < index(read)) {
          return found + 1;
        }
        if (parity != null) {
          inside ^= (Scan.count(bytes, index(looked), index(read), Scan.QUOTE) & 1) != 0;
        }
        looked = read;
        if (read == size) {
          if (inside) {
            throw endsInQuotes(lastRow(firstRow));
          }
          return index(read);
        }
        if (read - end > TextFeed.MOST_ROW_BYTES) {
          throw rowTooLong(lastRow(firstRow));
        }
        more(read + (read - from));
      }
    }

    /// Returns where the last row begins that begins in the block.
    private long lastRow(long firstRow) {
      long row = index(firstRow);
      while (true) {
        long next = Scan.findRowEnd(bytes, row, index(end), parity != null, false) + 1;
        if (next >= index(end)) {
          return from + row - head.length;
        }
        row = next;
      }
    }
  }
}
