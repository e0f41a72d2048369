package dev.tigris.memory.arrow;

import dev.tigris.memory.Primitive;
import dev.tigris.memory.arrow.ArrowType.Unit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Stores numbers of a column in fields, widened where no value changes.
///
/// Thread rule: immutable.
///
/// @param from the column's type
/// @param to the field's
/// @param factor of a timestamp's unit
record Numbers(ArrowType from, Primitive to, long factor) {
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// Returns how numbers of a column are stored in a field; null if a value could change.
  static @Nullable Numbers of(ArrowType from, Primitive to, ArrowAs.@Nullable Meaning meaning) {
    long factor = 1;
    boolean fits;
    if (meaning == null) {
      fits = fits(from, to);
    } else if (meaning == ArrowAs.Meaning.UNSIGNED) {
      fits =
          from instanceof ArrowType.Whole(int bits, boolean isSigned)
              && !isSigned
              && bits <= to.sizeBytes() * Byte.SIZE;
    } else if (meaning == ArrowAs.Meaning.DATE) {
      fits = from instanceof ArrowType.Date(boolean isMillis) && !isMillis;
    } else {
      Unit wanted =
          switch (meaning) {
            case TIMESTAMP_SECONDS -> Unit.SECOND;
            case TIMESTAMP_MILLIS -> Unit.MILLISECOND;
            case TIMESTAMP_MICROS -> Unit.MICROSECOND;
            default -> Unit.NANOSECOND;
          };
      fits =
          from instanceof ArrowType.Timestamp(Unit unit, String _)
              && unit.perSecond <= wanted.perSecond;
      if (from instanceof ArrowType.Timestamp(Unit unit, String _) && fits) {
        factor = wanted.perSecond / unit.perSecond;
      }
    }
    return fits ? new Numbers(from, to, factor) : null;
  }

  private static boolean fits(ArrowType from, Primitive to) {
    return switch (from) {
      case ArrowType.Bool _ -> to == Primitive.BOOLEAN;
      case ArrowType.Whole(int bits, boolean isSigned) ->
          switch (to) {
            case BOOLEAN -> false;
            case CHAR -> !isSigned && bits <= Character.SIZE;
            case BYTE, SHORT, INT, LONG ->
                isSigned ? bits <= to.sizeBytes() * Byte.SIZE : bits < to.sizeBytes() * Byte.SIZE;
            case FLOAT -> bits <= Short.SIZE;
            case DOUBLE -> bits <= Integer.SIZE;
          };
      case ArrowType.Real(int bits) ->
          (to == Primitive.FLOAT || to == Primitive.DOUBLE) && bits <= to.sizeBytes() * Byte.SIZE;
      default -> false;
    };
  }

  /// The whole number at an index. One of 64 bits without a sign is as if it had one.
  static long whole(byte[] data, int index, ArrowType.Whole type) {
    return switch (type.bits()) {
      case 8 -> type.isSigned() ? data[index] : data[index] & 0xff;
      case 16 -> {
        short value = (short) Growing.SHORT.get(data, index * Short.BYTES);
        yield type.isSigned() ? value : value & 0xffff;
      }
      case 32 -> {
        int value = (int) Growing.INT.get(data, index * Integer.BYTES);
        yield type.isSigned() ? value : value & 0xffff_ffffL;
      }
      default -> (long) Growing.LONG.get(data, index * Long.BYTES);
    };
  }

  static double real(byte[] data, int index, int bits) {
    return switch (bits) {
      case 16 -> Float.float16ToFloat((short) Growing.SHORT.get(data, index * Short.BYTES));
      case 32 -> Float.intBitsToFloat((int) Growing.INT.get(data, index * Integer.BYTES));
      default -> Double.longBitsToDouble((long) Growing.LONG.get(data, index * Long.BYTES));
    };
  }

  /// Whether the bytes are stored as they are: values of one size that fit are the same bytes.
  boolean isPlain() {
    return factor == 1 && SourceColumn.width(from) == to.sizeBytes();
  }

  /// Stores the number of each row in the row's field.
  ///
  /// @param absent by row, not 0 where nothing is stored
  /// @param first where the field is in the first row
  void store(
      byte[] data, byte @Nullable [] absent, MemorySegment rows, long first, long stride, int count)
      throws ArrowException {
    if (isPlain()) {
      switch (to.sizeBytes()) {
        case Byte.BYTES -> storeBytes(data, absent, rows, first, stride, count);
        case Short.BYTES -> storeShorts(data, absent, rows, first, stride, count);
        case Integer.BYTES -> storeInts(data, absent, rows, first, stride, count);
        default -> storeLongs(data, absent, rows, first, stride, count);
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      if (absent == null || absent[i] == 0) {
        storeOne(data, i, rows, first + i * stride);
      }
    }
  }

  private static void storeBytes(
      byte[] data, byte @Nullable [] absent, MemorySegment rows, long first, long stride, int n) {
    for (int i = 0; i < n; i++) {
      if (absent == null || absent[i] == 0) {
        rows.set(ValueLayout.JAVA_BYTE, first + i * stride, data[i]);
      }
    }
  }

  private static void storeShorts(
      byte[] data, byte @Nullable [] absent, MemorySegment rows, long first, long stride, int n) {
    for (int i = 0; i < n; i++) {
      if (absent == null || absent[i] == 0) {
        short value = (short) Growing.SHORT.get(data, i * Short.BYTES);
        rows.set(SHORT, first + i * stride, value);
      }
    }
  }

  private static void storeInts(
      byte[] data, byte @Nullable [] absent, MemorySegment rows, long first, long stride, int n) {
    for (int i = 0; i < n; i++) {
      if (absent == null || absent[i] == 0) {
        int value = (int) Growing.INT.get(data, i * Integer.BYTES);
        rows.set(INT, first + i * stride, value);
      }
    }
  }

  private static void storeLongs(
      byte[] data, byte @Nullable [] absent, MemorySegment rows, long first, long stride, int n) {
    for (int i = 0; i < n; i++) {
      if (absent == null || absent[i] == 0) {
        long value = (long) Growing.LONG.get(data, i * Long.BYTES);
        rows.set(LONG, first + i * stride, value);
      }
    }
  }

  /// Stores the number at an index at a place.
  void storeOne(byte[] data, int index, MemorySegment target, long at) throws ArrowException {
    switch (from) {
      case ArrowType.Real(int bits) -> storeReal(real(data, index, bits), target, at);
      case ArrowType.Whole type -> storeWhole(whole(data, index, type), target, at);
      case ArrowType.Bool _ -> target.set(ValueLayout.JAVA_BYTE, at, data[index]);
      case ArrowType.Date _ ->
          target.set(INT, at, (int) Growing.INT.get(data, index * Integer.BYTES));
      default -> {
        long value = (long) Growing.LONG.get(data, index * Long.BYTES);
        long scaled = value * factor;
        if (Math.multiplyHigh(value, factor) != scaled >> 63) {
          throw new ArrowException(
              "the %s %d is too far away for a field with units of a %dth part"
                  .formatted(from, value, factor));
        }
        target.set(LONG, at, scaled);
      }
    }
  }

  private void storeReal(double value, MemorySegment target, long at) {
    if (to == Primitive.FLOAT) {
      target.set(FLOAT, at, (float) value);
    } else {
      target.set(DOUBLE, at, value);
    }
  }

  private void storeWhole(long value, MemorySegment target, long at) {
    switch (to) {
      case BYTE, BOOLEAN -> target.set(ValueLayout.JAVA_BYTE, at, (byte) value);
      case SHORT, CHAR -> target.set(SHORT, at, (short) value);
      case INT -> target.set(INT, at, (int) value);
      case LONG -> target.set(LONG, at, value);
      case FLOAT -> target.set(FLOAT, at, (float) value);
      case DOUBLE -> target.set(DOUBLE, at, (double) value);
    }
  }
}
