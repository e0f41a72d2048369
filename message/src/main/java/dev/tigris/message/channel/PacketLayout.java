package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/// Where the fields of packets and frames lie; all little-endian.
///
/// ```text
///   0          4        8          16        24              32       40       44         48
///   +----------+--------+----------+---------+---------------+--------+--------+----------+-------
///   | TAM kind | epoch  | session  | number  | acknowledged  | silent | length | checksum | frames
///   +----------+--------+----------+---------+---------------+--------+--------+----------+-------
///
///   0      1       2         4               8           16                      + 8 x words
///   +------+-------+---------+---------------+-----------+-------------+---------+---------+-----
///   | kind | words | handler | payload bytes | reference | bulk: 24 B  | words   | payload | pad
///   +------+-------+---------+---------------+-----------+-------------+---------+---------+-----
///                                                         total, begin, place
/// ```
///
/// Packets of data that cannot be lost or damaged have a short header, with the last 16 bits of
/// each number: the rest is known, as windows are smaller than that. Messages of words alone have a
/// short frame, with the last 32 bits of the reference.
///
/// ```text
///   0     1    2        4              6        8
///   +-----+----+--------+--------------+--------+-------
///   | 212 | 0  | number | acknowledged | silent | frames
///   +-----+----+--------+--------------+--------+-------
///
///   0      1       2         4           8       + 8 x words
///   +------+-------+---------+-----------+-------+
///   | kind | words | handler | reference | words |
///   +------+-------+---------+-----------+-------+
/// ```
///
/// So a message of up to four words takes one cache line over `shm`, with the slot of its ring.
final class PacketLayout {
  static final int HEADER_BYTES = 48;
  static final int SHORT_HEADER_BYTES = 8;

  /// How many packets may be under way where headers are short, for the last bits to tell them.
  static final int MOST_SHORT_PACKETS = 1 << 14;
  static final int FRAME_BYTES = 16;
  static final int SHORT_FRAME_BYTES = 8;
  static final int BULK_BYTES = 24;

  /// The most words of a message.
  static final int MOST_WORDS = 16;

  /// "TAM" in the first three bytes, and the kind in the fourth.
  private static final int MAGIC = 'T' | 'A' << 8 | 'M' << 16;

  /// The first byte of a short header: not the "T" of others.
  private static final int SHORT = 212;

  private static final int KIND = 0;
  private static final int EPOCH = 4;
  private static final int SESSION = 8;
  private static final int NUMBER = 16;
  private static final int ACKNOWLEDGED = 24;
  private static final int SILENT = 32;
  private static final int LENGTH = 40;
  private static final int CHECKSUM = 44;

  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private PacketLayout() {}

  /// Returns the length of a frame without its payload.
  static int frameBytes(boolean bulk, int words) {
    return FRAME_BYTES + (bulk ? BULK_BYTES : 0) + words * Long.BYTES;
  }

  /// Returns the length of a message that is no bulk transfer, with its payload.
  static int messageBytes(int words, int payload) {
    return payload == 0
        ? SHORT_FRAME_BYTES + words * Long.BYTES
        : aligned(frameBytes(false, words) + payload);
  }

  /// Rounds up to where the next frame may begin.
  static int aligned(int bytes) {
    return (bytes + 7) & -8;
  }

  // ---- packets that are sent

  static void stamp(
      Bytes to,
      long at,
      PacketKind kind,
      int epoch,
      long session,
      long number,
      long acknowledged,
      long silent,
      int length) {
    to.setInt(at + KIND, MAGIC | kind.code << 24);
    to.setInt(at + EPOCH, epoch);
    to.setLong(at + SESSION, session);
    to.setLong(at + NUMBER, number);
    to.setLong(at + ACKNOWLEDGED, acknowledged);
    to.setLong(at + SILENT, silent);
    to.setInt(at + LENGTH, length);
    to.setInt(at + CHECKSUM, 0);
  }

  static void stampShort(Bytes to, long at, long number, long acknowledged, long silent) {
    to.setLong(
        at,
        SHORT | (number & 0xffff) << 16 | (acknowledged & 0xffff) << 32 | (silent & 0xffff) << 48);
  }

  /// Gives a packet its checksum, of its own bytes and those of its tail.
  static void seal(Bytes to, long at, int length, MemorySegment tail) {
    CRC32C checksum = new CRC32C();
    checksum.update(to.slice(at, HEADER_BYTES + (long) length - tail.byteSize()).byteBuffer());
    checksum.update(tail.asByteBuffer());
    int value = (int) checksum.getValue();
    to.setInt(at + CHECKSUM, value == 0 ? 1 : value); // 0 is none
  }

  /// Writes the head of a frame; returns where its words begin.
  static long frame(
      Bytes to, long at, FrameKind kind, int words, int handler, int payload, long reference) {
    to.setInt(at, kind.code | words << 8 | handler << 16);
    to.setInt(at + 4, payload);
    to.setLong(at + 8, reference);
    return at + FRAME_BYTES;
  }

  /// Writes the head of a message that is no bulk transfer; returns where its words begin.
  static long message(
      Bytes to, long at, boolean isReply, int words, int handler, int payload, long reference) {
    if (payload > 0) {
      FrameKind kind = isReply ? FrameKind.REPLY : FrameKind.REQUEST;
      return frame(to, at, kind, words, handler, payload, reference);
    }
    FrameKind kind = isReply ? FrameKind.REPLY_WORDS : FrameKind.REQUEST_WORDS;
    to.setLong(at, kind.code | (long) words << 8 | (long) handler << 16 | reference << 32);
    return at + SHORT_FRAME_BYTES;
  }

  /// Changes the length of the payload in the head of a frame.
  static void payload(Bytes to, long at, int payload) {
    to.setInt(at + 4, payload);
  }

  // ---- packets that have arrived

  /// Returns the short header of a packet; 0 if it has none.
  static long shortHeader(MemorySegment from, long at, long bytes) {
    long header = bytes < SHORT_HEADER_BYTES ? 0 : from.get(LONG, at);
    return (header & 0xffff) == SHORT ? header : 0;
  }

  /// Returns the reference nearest to a known one whose last 32 bits are those of a short frame.
  static long reference(long known, long head) {
    return known + ((int) (head >>> 32) - (int) known);
  }

  static boolean isPacket(MemorySegment from, long at) {
    return (from.get(INT, at + KIND) & 0xffffff) == MAGIC;
  }

  static int kindCode(MemorySegment from, long at) {
    return from.get(INT, at + KIND) >>> 24;
  }

  static int epoch(MemorySegment from, long at) {
    return from.get(INT, at + EPOCH);
  }

  static long session(MemorySegment from, long at) {
    return from.get(LONG, at + SESSION);
  }

  static long number(MemorySegment from, long at) {
    return from.get(LONG, at + NUMBER);
  }

  static long acknowledged(MemorySegment from, long at) {
    return from.get(LONG, at + ACKNOWLEDGED);
  }

  static long silent(MemorySegment from, long at) {
    return from.get(LONG, at + SILENT);
  }

  static int length(MemorySegment from, long at) {
    return from.get(INT, at + LENGTH);
  }

  static int checksum(MemorySegment from, long at) {
    return from.get(INT, at + CHECKSUM);
  }

  /// Whether a packet has the checksum of its bytes.
  static boolean isWhole(MemorySegment from, long at, long bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(from.asSlice(at, CHECKSUM).asByteBuffer());
    checksum.update(0);
    checksum.update(0);
    checksum.update(0);
    checksum.update(0);
    checksum.update(from.asSlice(at + HEADER_BYTES, bytes - HEADER_BYTES).asByteBuffer());
    int value = (int) checksum.getValue();
    return checksum(from, at) == (value == 0 ? 1 : value);
  }
}
