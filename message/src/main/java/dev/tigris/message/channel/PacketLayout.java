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
final class PacketLayout {
  static final int HEADER_BYTES = 48;
  static final int FRAME_BYTES = 16;
  static final int BULK_BYTES = 24;

  /// The most words of a message.
  static final int MOST_WORDS = 16;

  /// "TAM" in the first three bytes, and the kind in the fourth.
  private static final int MAGIC = 'T' | 'A' << 8 | 'M' << 16;

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

  /// Changes the length of the payload in the head of a frame.
  static void payload(Bytes to, long at, int payload) {
    to.setInt(at + 4, payload);
  }

  // ---- packets that have arrived

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
