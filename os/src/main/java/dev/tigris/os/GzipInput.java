package dev.tigris.os;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/// Decompresses gzip's format (RFC 1952): members that follow one another.
///
/// ```
///   0       2    3       4       8             10
///   +-------+----+-------+-------+-------------+-------+------+---------+-----+
///   | 1f 8b |  8 | flags | mtime | extra flags | extra | name | comment | crc |  as flags say
///   +-------+----+-------+-------+-------------+-------+------+---------+-----+
///   | deflated data ...                        | CRC-32 of the data | its length, 32 bits |
///   +------------------------------------------+--------------------+---------------------+
/// ```
///
/// Behind a member the source ends, or has another whole member, or zeros to its end, which tapes
/// and some programs fill a block with. All else is refused: [java.util.zip.GZIPInputStream] takes
/// a damaged header for the end of the data, and so drops the members behind it in silence.
///
/// Thread rule: one thread at a time.
public final class GzipInput extends InputStream {
  private static final int FIRST_MAGIC = 0x1f;
  private static final int SECOND_MAGIC = 0x8b;
  private static final int DEFLATE = 8;
  private static final int HAS_HEADER_CHECKSUM = 1 << 1;
  private static final int HAS_EXTRA = 1 << 2;
  private static final int HAS_NAME = 1 << 3;
  private static final int HAS_COMMENT = 1 << 4;
  private static final int RESERVED = 0xe0;

  /// The time, the extra flags and the operating system, which change nothing.
  private static final int IGNORED_BYTES = 6;

  private final InputStream source;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 checksum = new CRC32();
  private final byte[] buffer;
  private int at;
  private int filled;
  private long length;
  private boolean isInMember;
  private boolean hadMember;
  private boolean ended;
  private boolean closed;

  /// Decompresses a stream, which is closed with this one.
  public GzipInput(InputStream source, int bufferBytes) {
    this.source = source;
    this.buffer = new byte[bufferBytes];
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (closed) {
      throw new IOException("the stream is closed");
    }
    if (count == 0) {
      return 0;
    }
    while (!ended) {
      if (!isInMember) {
        ended = !begin();
        continue;
      }
      int inflated = inflate(target, offset, count);
      if (inflated > 0) {
        checksum.update(target, offset, inflated);
        length += inflated;
        return inflated;
      }
    }
    return -1;
  }

  /// Inflates what there is, or takes a step towards it and returns 0.
  private int inflate(byte[] target, int offset, int count) throws IOException {
    try {
      int inflated = inflater.inflate(target, offset, count);
      if (inflated > 0) {
        return inflated;
      }
    } catch (DataFormatException e) {
      throw damaged(String.valueOf(e.getMessage()), e);
    }
    if (inflater.finished()) {
      at = filled - inflater.getRemaining();
      requireTrailer();
      isInMember = false;
    } else if (inflater.needsDictionary()) {
      throw new ZipException("a member needs a dictionary, which the format does not have");
    } else {
      if (!fill()) {
        throw cut();
      }
      inflater.setInput(buffer, 0, filled);
    }
    return 0;
  }

  /// Begins the next member; returns false if there is none.
  private boolean begin() throws IOException {
    if (at == filled && !fill()) {
      if (!hadMember) {
        throw new EOFException("it is empty, and so not even the beginning of a member");
      }
      return false;
    }
    if (hadMember && buffer[at] == 0) {
      requireZeros();
      return false;
    }
    readHeader();
    inflater.reset();
    inflater.setInput(buffer, at, filled - at);
    checksum.reset();
    length = 0;
    isInMember = true;
    hadMember = true;
    return true;
  }

  private void readHeader() throws IOException {
    checksum.reset(); // of the header, for now
    if (headerByte() != FIRST_MAGIC || headerByte() != SECOND_MAGIC) {
      throw new ZipException(
          hadMember ? "behind a member is something else" : "it does not begin with 1f 8b");
    }
    int method = headerByte();
    if (method != DEFLATE) {
      throw new ZipException("the compression method %d is unknown".formatted(method));
    }
    int flags = headerByte();
    if ((flags & RESERVED) != 0) {
      throw new ZipException("the flags %#x of a header are unknown".formatted(flags));
    }
    skip(IGNORED_BYTES);
    if ((flags & HAS_EXTRA) != 0) {
      skip(headerByte() | headerByte() << Byte.SIZE);
    }
    if ((flags & HAS_NAME) != 0) {
      skipString();
    }
    if ((flags & HAS_COMMENT) != 0) {
      skipString();
    }
    if ((flags & HAS_HEADER_CHECKSUM) != 0) {
      long expected = checksum.getValue() & 0xffff;
      if ((headerByte() | headerByte() << Byte.SIZE) != expected) {
        throw new ZipException("the checksum of a header is wrong");
      }
    }
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      int _ = headerByte();
    }
  }

  private void skipString() throws IOException {
    int next;
    do {
      next = headerByte();
    } while (next != 0);
  }

  private int headerByte() throws IOException {
    int next = next();
    checksum.update(next);
    return next;
  }

  private int next() throws IOException {
    if (at == filled && !fill()) {
      throw cut();
    }
    return buffer[at++] & 0xff;
  }

  private void requireTrailer() throws IOException {
    if (number() != checksum.getValue()) {
      throw new ZipException("the checksum of a member is wrong");
    }
    if (number() != (length & 0xffff_ffffL)) {
      throw new ZipException("the length of a member is wrong");
    }
  }

  private long number() throws IOException {
    long number = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      number |= (long) next() << (Byte.SIZE * i);
    }
    return number;
  }

  private void requireZeros() throws IOException {
    do {
      for (; at < filled; at++) {
        if (buffer[at] != 0) {
          throw new ZipException("behind the zeros that follow a member is something else");
        }
      }
    } while (fill());
  }

  /// Reads on where all was taken; returns false at the end.
  private boolean fill() throws IOException {
    int count;
    do {
      count = source.read(buffer, 0, buffer.length);
    } while (count == 0);
    at = 0;
    filled = Math.max(0, count);
    return count > 0;
  }

  private static EOFException cut() {
    return new EOFException("its last member is not complete");
  }

  private static ZipException damaged(String problem, Exception cause) {
    var damaged = new ZipException(problem);
    damaged.initCause(cause);
    return damaged;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    inflater.end();
    source.close();
  }
}
