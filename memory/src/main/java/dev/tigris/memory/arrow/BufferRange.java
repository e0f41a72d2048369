package dev.tigris.memory.arrow;

import dev.tigris.os.Zstd;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A buffer of a column in a body, read range by range.
///
/// A compressed one is eight bytes with its size, or -1 if it is not, and a frame. It is
/// decompressed range by range, in order: what it says of its size takes no memory.
///
/// Thread rule: one thread.
final class BufferRange implements AutoCloseable {
  /// How buffers are compressed.
  enum Codec {
    NONE,
    LZ4,
    ZSTD
  }

  private static final int SIZE_BYTES = Long.BYTES;
  private static final int BYTES_AT_ONCE = 256 << 10;

  private final SourceColumn column;
  private final Body body;
  private final Codec codec;

  /// Where the buffer lies in the body.
  private final long bodyStart;

  private final long bodyBytes;

  /// Where its bytes do: behind the size of a compressed one.
  private long start;
  private long bytes;

  /// The last range that was decompressed, and where it begins. The next one may overlap it.
  private byte[] last = new byte[0];

  private long lastStart;
  private byte @Nullable [] whole;
  private @Nullable InputStream frame;
  private boolean isOpen;

  /// @param column names the column in messages
  BufferRange(SourceColumn column, Body body, long start, long bytes, Codec codec) {
    this.column = column;
    this.body = body;
    this.bodyStart = start;
    this.bodyBytes = bytes;
    this.start = start;
    this.bytes = bytes;
    this.codec = codec;
  }

  /// Opens it, if it is compressed: then its size is known.
  private void open() throws IOException {
    if (isOpen) {
      return;
    }
    isOpen = true;
    if (codec == Codec.NONE || bytes == 0) {
      return;
    }
    if (bytes < SIZE_BYTES) {
      throw new ArrowException(
          "%s has a compressed buffer of %d bytes, too few for its size".formatted(column, bytes));
    }
    long size = (long) Growing.LONG.get(body.read(start, SIZE_BYTES), 0);
    start += SIZE_BYTES;
    bytes -= SIZE_BYTES;
    if (size == -1) {
      return;
    }
    if (size < 0) {
      throw new ArrowException(
          "%s has a compressed buffer that says it has %d bytes".formatted(column, size));
    }
    InputStream compressed = new RangeStream(body, start, bytes);
    bytes = size;
    if (size > 0) {
      frame = codec == Codec.ZSTD ? unzstd(compressed) : new Lz4Frame(compressed);
    }
  }

  private InputStream unzstd(InputStream compressed) throws ArrowException {
    try {
      return Zstd.decompressed(compressed);
    } catch (UnsupportedOperationException e) {
      throw new ArrowException("%s is compressed by ZSTD: %s".formatted(column, e.getMessage()), e);
    }
  }

  long bytes() throws IOException {
    open();
    return bytes;
  }

  /// Returns a range of the buffer.
  byte[] read(long from, long count) throws IOException {
    open();
    if (from < 0 || count < 0 || count > Integer.MAX_VALUE - 8 || from > bytes - count) {
      throw new ArrowException(
          "%s has a buffer of %d bytes, and needs %d from byte %d on: the file is damaged"
              .formatted(column, bytes, count, from));
    }
    if (count == 0) {
      return new byte[0];
    }
    if (frame == null) {
      return body.read(start + from, (int) count);
    }
    return unpack(from, (int) count);
  }

  /// Returns all of the buffer, the same array each time.
  byte[] whole() throws IOException {
    byte[] known = whole;
    if (known == null) {
      long all = bytes();
      if (frame != null && all > SourceColumn.MOST_BYTES) {
        throw new ArrowException(
            "%s has a compressed buffer of %d bytes, more than are read at once"
                .formatted(column, all));
      }
      known = read(0, all);
      whole = known;
    }
    return known;
  }

  /// Returns how many bytes [#whole] keeps in memory.
  long keptBytes() {
    byte[] known = whole;
    return known == null ? 0 : known.length;
  }

  /// Gives up what is kept in memory. It can be read again, from its beginning.
  void forget() throws IOException {
    close();
    start = bodyStart;
    bytes = bodyBytes;
    lastStart = 0;
    isOpen = false;
  }

  /// Decompresses a range. Ranges are asked for in their order.
  private byte[] unpack(long from, int count) throws IOException {
    long lastEnd = lastStart + last.length;
    if (from < lastStart) {
      throw new ArrowException(
          "%s is compressed, and byte %d is needed after byte %d: the file is damaged"
              .formatted(column, from, lastEnd));
    }
    InputStream source = Objects.requireNonNull(frame);
    int known = Math.clamp(lastEnd - from, 0, count);
    try {
      for (long gap = from - lastEnd; gap > 0; ) {
        byte[] skipped = source.readNBytes((int) Math.min(gap, BYTES_AT_ONCE));
        requireMore(skipped.length);
        gap -= skipped.length;
      }
      byte[] range = new byte[known + Math.min(count - known, BYTES_AT_ONCE)];
      if (known > 0) {
        System.arraycopy(last, (int) (from - lastStart), range, 0, known);
      }
      for (int filled = known; filled < count; ) {
        if (filled == range.length) {
          range = Arrays.copyOf(range, (int) Math.min(count, 2L * filled));
        }
        int got = source.read(range, filled, range.length - filled);
        requireMore(got);
        filled += got;
      }
      // Bytes behind a shorter range were decompressed all the same, and stay.
      if (from + count >= lastEnd) {
        last = range;
        lastStart = from;
      }
      return range;
    } catch (ArrowException e) {
      throw e;
    } catch (IOException e) {
      throw new ArrowException(
          "%s cannot be decompressed: %s".formatted(column, e.getMessage()), e);
    }
  }

  private void requireMore(int got) throws ArrowException {
    if (got <= 0) {
      throw new ArrowException(
          "%s has a compressed buffer that says it has %d bytes, and has fewer"
              .formatted(column, bytes));
    }
  }

  @Override
  public void close() throws IOException {
    InputStream opened = frame;
    frame = null;
    last = new byte[0];
    whole = null;
    if (opened != null) {
      opened.close();
    }
  }

  /// A range of a body as a stream.
  private static final class RangeStream extends InputStream {
    private final Body body;
    private long at;
    private final long end;
    private InputStream piece = InputStream.nullInputStream();

    RangeStream(Body body, long start, long bytes) {
      this.body = body;
      this.at = start;
      this.end = start + bytes;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = piece.read(target, offset, length);
      if (count < 0 && at < end) {
        int next = (int) Math.min(BYTES_AT_ONCE, end - at);
        piece = new ByteArrayInputStream(body.read(at, next));
        at += next;
        count = piece.read(target, offset, length);
      }
      return count;
    }
  }
}
