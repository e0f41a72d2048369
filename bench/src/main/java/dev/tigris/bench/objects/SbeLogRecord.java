package dev.tigris.bench.objects;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/// The peer of [LogRecord] in SBE: a message with a header, a block of three fields and two of
/// variable length, with the accessors that SBE's compiler generates for its decoder. Fields of
/// variable length have to be read in their order.
final class SbeLogRecord {
  private static final ByteOrder BYTE_ORDER = ByteOrder.LITTLE_ENDIAN;
  private static final int HEADER_BYTES = 8;
  private static final int BLOCK_BYTES = 13;
  private static final int TEMPLATE_ID = 1;

  private DirectBuffer buffer = new UnsafeBuffer();
  private int offset;
  private int limit;

  /// Moves to the message at an offset.
  @SuppressWarnings("ReferenceEquality") // as generated
  SbeLogRecord wrapAndApplyHeader(DirectBuffer log, int at) {
    int blockLength = log.getShort(at, BYTE_ORDER) & 0xffff;
    int templateId = log.getShort(at + 2, BYTE_ORDER) & 0xffff;
    if (templateId != TEMPLATE_ID) {
      throw new IllegalStateException("Invalid TEMPLATE_ID: " + templateId);
    }
    if (buffer != log) {
      buffer = log;
    }
    offset = at + HEADER_BYTES;
    limit = offset + blockLength;
    return this;
  }

  /// Where the next message begins, when all fields have been read.
  int limit() {
    return limit;
  }

  long timestamp() {
    return buffer.getLong(offset, BYTE_ORDER);
  }

  int latencyMicros() {
    return buffer.getInt(offset + 8, BYTE_ORDER);
  }

  Level level() {
    byte value = buffer.getByte(offset + 12);
    return switch (value) {
      case 0 -> Level.DEBUG;
      case 1 -> Level.INFO;
      case 2 -> Level.WARN;
      case 3 -> Level.ERROR;
      default -> throw new IllegalArgumentException("Unknown value: " + value);
    };
  }

  /// The path, and after it the message.
  String text() {
    int length = buffer.getShort(limit, BYTE_ORDER) & 0xffff;
    int at = limit + 2;
    limit = at + length;
    if (length == 0) {
      return "";
    }
    byte[] bytes = new byte[length];
    buffer.getBytes(at, bytes, 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /// The path, and after it the message, without decoding.
  void wrapText(DirectBuffer wrapped) {
    int length = buffer.getShort(limit, BYTE_ORDER) & 0xffff;
    int at = limit + 2;
    limit = at + length;
    wrapped.wrap(buffer, at, length);
  }

  /// The message's length, for callers that do not read it.
  int skipText() {
    int length = buffer.getShort(limit, BYTE_ORDER) & 0xffff;
    limit += 2 + length;
    return length;
  }

  static int write(PlainLogRecord[] log, MutableDirectBuffer to) {
    int at = 0;
    for (PlainLogRecord from : log) {
      to.putShort(at, (short) BLOCK_BYTES, BYTE_ORDER);
      to.putShort(at + 2, (short) TEMPLATE_ID, BYTE_ORDER);
      to.putShort(at + 4, (short) 1, BYTE_ORDER);
      to.putShort(at + 6, (short) 0, BYTE_ORDER);
      at += HEADER_BYTES;
      to.putLong(at, from.timestamp, BYTE_ORDER);
      to.putInt(at + 8, from.latencyMicros, BYTE_ORDER);
      to.putByte(at + 12, from.level.code);
      at = text(from.message, to, text(from.path, to, at + BLOCK_BYTES));
    }
    return at;
  }

  private static int text(String text, MutableDirectBuffer to, int at) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    to.putShort(at, (short) bytes.length, BYTE_ORDER);
    to.putBytes(at + 2, bytes);
    return at + 2 + bytes.length;
  }
}
