package dev.tigris.memory.arrow;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/// Decompresses a frame of LZ4, from bytes that are not trusted.
///
/// ```
///   frame   04 22 4d 18 | flags | largest block | size of all (8 bytes, if flagged) | checksum
///           blocks | 00 00 00 00 | checksum of all (4 bytes, if flagged)
///   block   size (4 bytes; highest bit: not compressed) | data | checksum (4 bytes, if flagged)
///   data    sequences: two lengths (4 bits each) | more of the first | literals
///           | distance back (2 bytes) | more of the second
/// ```
///
/// Checksums are not looked at: a damaged block is found where it breaks the format, and otherwise
/// gives other bytes, as a damaged buffer that is not compressed does.
///
/// Thread rule: one thread.
final class Lz4Frame extends InputStream {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final int MAGIC = 0x184d_2204;
  private static final int WINDOW_BYTES = 64 << 10;
  private static final int LEAST_MATCH = 4;

  private final InputStream source;
  private final boolean hasBlockChecksums;

  /// The last bytes before a block, to which it may refer back, and the block.
  private final byte[] out;

  private final byte[] block;
  private int from = WINDOW_BYTES;
  private int end = WINDOW_BYTES;

  /// How many bytes there are before `end`, since the frame began.
  private int known;

  private boolean ended;

  Lz4Frame(InputStream source) throws IOException {
    this.source = source;
    byte[] head = need(6);
    int flags = head[4];
    int largest = head[5] >>> 4 & 7;
    if ((int) INT.get(head, 0) != MAGIC || (flags & 0xc0) != 0x40 || largest < 4) {
      throw new ArrowException("a compressed buffer is no frame of LZ4");
    }
    if ((flags & 1) != 0) {
      throw new ArrowException(
          "a compressed buffer needs a dictionary of LZ4, which Arrow's files have not");
    }
    byte[] _ = need((flags & 8) != 0 ? Long.BYTES + 1 : 1);
    this.hasBlockChecksums = (flags & 0x10) != 0;
    int blockBytes = 1 << (8 + 2 * largest);
    this.out = new byte[WINDOW_BYTES + blockBytes];
    this.block = new byte[blockBytes];
  }

  private byte[] need(int count) throws IOException {
    byte[] bytes = source.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("a compressed buffer ends inside of a frame of LZ4");
    }
    return bytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    while (from == end) {
      if (!nextBlock()) {
        return -1;
      }
    }
    int count = Math.min(length, end - from);
    System.arraycopy(out, from, target, offset, count);
    from += count;
    return count;
  }

  private boolean nextBlock() throws IOException {
    if (ended) {
      return false;
    }
    int size = (int) INT.get(need(Integer.BYTES), 0);
    ended = size == 0;
    if (ended) {
      return false;
    }
    int length = size & Integer.MAX_VALUE;
    if (length > block.length) {
      throw damaged();
    }
    if (source.readNBytes(block, 0, length) < length) {
      throw new EOFException("a compressed buffer ends inside of a block of LZ4");
    }
    if (hasBlockChecksums) {
      byte[] _ = need(Integer.BYTES);
    }
    int before = end;
    System.arraycopy(out, before - WINDOW_BYTES, out, 0, WINDOW_BYTES);
    from = WINDOW_BYTES;
    if (size < 0) {
      System.arraycopy(block, 0, out, from, length);
      end = from + length;
    } else {
      end = decode(length);
    }
    known = Math.min(WINDOW_BYTES, known + end - from);
    return true;
  }

  /// Decompresses a block, and returns where its bytes end.
  private int decode(int length) throws ArrowException {
    int at = 0;
    int to = WINDOW_BYTES;
    int lowest = WINDOW_BYTES - known;
    while (at < length) {
      int token = block[at++] & 0xff;
      int literals = token >>> 4;
      if (literals == 15) {
        int more;
        do {
          more = at < length ? block[at++] & 0xff : -1;
          literals += more;
        } while (more == 255 && literals < out.length);
      }
      if (literals < 0 || literals > length - at || literals > out.length - to) {
        throw damaged();
      }
      System.arraycopy(block, at, out, to, literals);
      at += literals;
      to += literals;
      if (at == length) {
        return to; // the last sequence has literals only
      }
      if (at > length - 2) {
        throw damaged();
      }
      int distance = (block[at] & 0xff) | (block[at + 1] & 0xff) << 8;
      at += 2;
      int match = (token & 15) + LEAST_MATCH;
      if ((token & 15) == 15) {
        int more;
        do {
          more = at < length ? block[at++] & 0xff : Integer.MIN_VALUE;
          match += more;
        } while (more == 255 && match < out.length);
      }
      if (distance == 0 || distance > to - lowest || match < 0 || match > out.length - to) {
        throw damaged();
      }
      copy(to, distance, match);
      to += match;
    }
    throw damaged();
  }

  /// Copies bytes of which those that are copied first may be copied again.
  private void copy(int to, int distance, int count) {
    if (distance >= count) {
      System.arraycopy(out, to - distance, out, to, count);
    } else {
      for (int i = 0; i < count; i++) {
        out[to + i] = out[to + i - distance];
      }
    }
  }

  private static ArrowException damaged() {
    return new ArrowException("a compressed buffer is damaged: a block of LZ4 breaks its format");
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
