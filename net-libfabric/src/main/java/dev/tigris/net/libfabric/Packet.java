package dev.tigris.net.libfabric;

import dev.tigris.net.DataType;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// What an endpoint sends: a header, and what follows it.
///
/// ```text
///   0        4      8      9      10        12         16
///   +--------+------+------+------+---------+----------+-----------+
///   | length | tag  | kind | type | credits | sequence |  content  |   little-endian
///   +--------+------+------+------+---------+----------+-----------+
/// ```
///
/// `kind` is one of
/// - 1, a message of `length` bytes and its beginning; `type` is the code of its [DataType];
/// - 6, more of it, until `length` bytes have come;
/// - 2, a goodbye, which is the last packet;
/// - 3, an offer of a message of `length` bytes, whose content names the memory to read it from:
///
/// ```text
///   0         8     16       24
///   +---------+-----+--------+----- ... 1 to 16 ranges
///   | address | key | length |
///   +---------+-----+--------+-----
/// ```
///
/// - 4, taken: the message that was offered with the sequence number in `tag` was read, or is not
///   wanted: its memory is free;
/// - 5, credit, which has nothing but a header.
///
/// `credits` says how many packets with content more than before the receiver of this one may send.
/// `sequence` counts packets from a number on that was agreed when the two connected.
final class Packet {
  static final int HEADER_BYTES = 16;

  /// The most bytes of content.
  static final int CONTENT_BYTES = 32 * 1024;

  static final int MESSAGE = 1;
  static final int GOODBYE = 2;
  static final int OFFER = 3;
  static final int TAKEN = 4;
  static final int CREDIT = 5;
  static final int MORE = 6;

  /// The size of a range of an offer.
  static final int RANGE_BYTES = 24;

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  int kind;
  long content;
  long length;
  int tag;
  DataType type = DataType.BYTES;
  int credits;
  int sequence;

  /// Writes a header.
  static void put(
      MemorySegment memory,
      int kind,
      long length,
      int tag,
      DataType type,
      int credits,
      int number) {
    memory.set(LONG, 0, (length & 0xffff_ffffL) | (long) tag << Integer.SIZE);
    memory.set(
        LONG,
        Long.BYTES,
        kind
            | type.code() << Byte.SIZE
            | (long) credits << Short.SIZE
            | (long) number << Integer.SIZE);
  }

  /// Takes a header apart.
  ///
  /// @param bytes how much has arrived
  /// @param maximumBytes the longest message that is allowed
  /// @param expected the sequence number that it must have
  /// @throws BreachException if there is something wrong with it
  void take(MemorySegment memory, long bytes, long maximumBytes, int expected) {
    if (bytes < HEADER_BYTES) {
      throw new BreachException("a packet of %d bytes".formatted(bytes));
    }
    long first = memory.get(LONG, 0);
    long second = memory.get(LONG, Long.BYTES);
    length = (int) first;
    tag = (int) (first >>> Integer.SIZE);
    kind = (int) second & 0xff;
    int code = (int) (second >>> Byte.SIZE) & 0xff;
    credits = (int) (second >>> Short.SIZE) & 0xffff;
    sequence = (int) (second >>> Integer.SIZE);
    if (sequence != expected) {
      throw new BreachException("packet %d where %d was expected".formatted(sequence, expected));
    }
    DataType known = Frame.type(code);
    if (known == null || length < 0 || length > maximumBytes) {
      throw new BreachException(
          "a message of type %d and of %d bytes where 0 to %d are allowed"
              .formatted(code, length, maximumBytes));
    }
    type = known;
    content = bytes - HEADER_BYTES;
    boolean right =
        switch (kind) {
          case MESSAGE -> content <= length && (content > 0 || length == 0);
          case MORE -> content > 0 && length == 0;
          case OFFER -> length > 0 && isOffer(memory);
          case GOODBYE, TAKEN, CREDIT -> content == 0 && length == 0;
          default -> false;
        };
    if (!right) {
      throw new BreachException(
          "a packet of kind %d with %d bytes of content".formatted(kind, content));
    }
  }

  /// Whether the ranges of an offer add up to what it says.
  private boolean isOffer(MemorySegment memory) {
    long count = content / RANGE_BYTES;
    if (content % RANGE_BYTES != 0 || count < 1 || count > Transfer.MAXIMUM_RANGES) {
      return false;
    }
    long left = length;
    for (int i = 0; i < count; i++) {
      long range = rangeBytes(memory, i);
      if (range < 1 || range > left) {
        return false;
      }
      left -= range;
    }
    return left == 0;
  }

  static void putRange(MemorySegment memory, int index, long address, long key, long bytes) {
    long at = at(index);
    memory.set(LONG, at, address);
    memory.set(LONG, at + Long.BYTES, key);
    memory.set(LONG, at + 2 * Long.BYTES, bytes);
  }

  static long rangeAddress(MemorySegment memory, int index) {
    return memory.get(LONG, at(index));
  }

  static long rangeKey(MemorySegment memory, int index) {
    return memory.get(LONG, at(index) + Long.BYTES);
  }

  static long rangeBytes(MemorySegment memory, int index) {
    return memory.get(LONG, at(index) + 2 * Long.BYTES);
  }

  private static long at(int index) {
    return HEADER_BYTES + (long) index * RANGE_BYTES;
  }
}
