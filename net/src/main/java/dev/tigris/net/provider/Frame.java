package dev.tigris.net.provider;

import dev.tigris.net.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// How providers over a stream of bytes put messages on it: each after a header.
///
/// ```text
///   0        4      8      9      10        12         16
///   +--------+------+------+------+---------+----------+-----------+
///   | length | tag  | kind | type | 0       | sequence |  payload  |   little-endian
///   +--------+------+------+------+---------+----------+-----------+
/// ```
///
/// `length` is that of the payload. `kind` is 1 for a message and 2 for a goodbye, which has no
/// payload and is the last frame. `type` is the code of the message's [DataType].
/// `sequence` counts frames from 0 on, and wraps around: where it is not the next one, the two
/// sides no longer agree about where a frame begins.
public final class Frame {
  /// The size of a header.
  public static final int HEADER_BYTES = 16;

  private static final long LOW_BITS = 0xffff_ffffL;

  /// The kind of a message.
  public static final int MESSAGE = 1;

  private static final int GOODBYE = 2;
  private static final DataType[] TYPES = byCode();

  /// The length of the payload.
  public int length;

  /// The application's number.
  public int tag;

  /// What the payload consists of.
  public DataType type = DataType.BYTES;

  /// Whether it is the last frame.
  public boolean goodbye;

  /// Of the last message.
  private int kindAndType = MESSAGE | type.code() << Byte.SIZE;

  /// Makes one with nothing in it.
  public Frame() {}

  private static DataType[] byCode() {
    DataType[] types = new DataType[DataType.values().length];
    for (DataType type : DataType.values()) {
      types[type.code()] = type;
    }
    return types;
  }

  /// The type that a code stands for; null if it stands for none.
  public static @Nullable DataType type(int code) {
    return code >= 0 && code < TYPES.length ? TYPES[code] : null;
  }

  /// The first eight bytes of the header of a message.
  public static long lengthAndTag(Transfer message) {
    return (message.bytes() & LOW_BITS) | (long) message.tag() << Integer.SIZE;
  }

  /// The last eight bytes of the header of a message.
  public static long kindAndSequence(Transfer message, int sequence) {
    return (MESSAGE | message.type().code() << Byte.SIZE) | (long) sequence << Integer.SIZE;
  }

  /// The last eight bytes of a goodbye; the first are 0.
  public static long goodbye(int sequence) {
    return GOODBYE | (long) sequence << Integer.SIZE;
  }

  /// Appends the header of a message to a little-endian buffer that has room for it.
  public static void put(ByteBuffer out, Transfer message, int sequence) {
    out.putLong(lengthAndTag(message)).putLong(kindAndSequence(message, sequence));
  }

  /// Appends a goodbye.
  public static void putGoodbye(ByteBuffer out, int sequence) {
    out.putLong(0).putLong(goodbye(sequence));
  }

  /// Takes a header from a little-endian buffer that holds one. As for
  /// [#take(long, long, long, int)].
  public void take(ByteBuffer in, long maximumBytes, int sequence) {
    assert in.order() == ByteOrder.LITTLE_ENDIAN;
    take(in.getLong(), in.getLong(), maximumBytes, sequence);
  }

  /// Takes a header apart.
  ///
  /// @param lengthAndTag its first eight bytes
  /// @param kindAndSequence its last eight bytes
  /// @param maximumBytes the longest payload that is allowed
  /// @param sequence the number that it must have
  /// @throws BreachException if there is something wrong with it
  public void take(long lengthAndTag, long kindAndSequence, long maximumBytes, int sequence) {
    length = (int) lengthAndTag;
    tag = (int) (lengthAndTag >>> Integer.SIZE);
    int number = (int) (kindAndSequence >>> Integer.SIZE);
    if (number != sequence) {
      throw new BreachException("frame %d where %d was expected".formatted(number, sequence));
    }
    int now = (int) kindAndSequence;
    if (now != kindAndType || goodbye) { // mostly it is what came before
      takeKind(now);
    }
    if (length < 0 || length > maximumBytes) {
      throw new BreachException(
          "a message of %d bytes where 0 to %d are allowed".formatted(length, maximumBytes));
    }
  }

  private void takeKind(int now) {
    goodbye = now == GOODBYE;
    if (goodbye) {
      if (length != 0 || tag != 0) {
        throw new BreachException("a goodbye that is not empty");
      }
      return;
    }
    int code = now >>> Byte.SIZE;
    if ((now & 0xff) != MESSAGE || code >= TYPES.length) {
      throw new BreachException("a frame of an unknown kind, %#x".formatted(now));
    }
    type = TYPES[code];
    kindAndType = now;
  }
}
