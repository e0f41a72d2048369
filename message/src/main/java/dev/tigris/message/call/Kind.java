package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// The kind of a parameter or a result. The numbers go over the wire.
enum Kind {
  VOID,
  BOOLEAN,
  BYTE,
  SHORT,
  CHAR,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  TEXT,
  BYTES,
  OBJECT;

  private static final Kind[] ALL = values();

  static @Nullable Kind of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : null;
  }

  /// Returns the kind of a type, boxes too; null if it cannot be sent.
  static @Nullable Kind of(Class<?> type) {
    if (type == void.class || type == Void.class) {
      return VOID;
    } else if (type == boolean.class || type == Boolean.class) {
      return BOOLEAN;
    } else if (type == byte.class || type == Byte.class) {
      return BYTE;
    } else if (type == short.class || type == Short.class) {
      return SHORT;
    } else if (type == char.class || type == Character.class) {
      return CHAR;
    } else if (type == int.class || type == Integer.class) {
      return INT;
    } else if (type == long.class || type == Long.class) {
      return LONG;
    } else if (type == float.class || type == Float.class) {
      return FLOAT;
    } else if (type == double.class || type == Double.class) {
      return DOUBLE;
    } else if (type == String.class) {
      return TEXT;
    } else if (type == Bytes.class) {
      return BYTES;
    }
    return type != Pso.class && Pso.class.isAssignableFrom(type) ? OBJECT : null;
  }

  /// Returns its number.
  @SuppressWarnings("EnumOrdinal") // the order is that of the numbers, which are added to only
  int code() {
    return ordinal();
  }

  /// Whether its word is a length, and its bytes are in the payload.
  boolean hasBytes() {
    return this == TEXT || this == BYTES || this == OBJECT;
  }

  /// Returns its word as a box; null for what has bytes, and for nothing.
  @Nullable Object box(long word) {
    return switch (this) {
      case BOOLEAN -> word != 0;
      case BYTE -> (byte) word;
      case SHORT -> (short) word;
      case CHAR -> (char) word;
      case INT -> (int) word;
      case LONG -> word;
      case FLOAT -> Float.intBitsToFloat((int) word);
      case DOUBLE -> Double.longBitsToDouble(word);
      case VOID, TEXT, BYTES, OBJECT -> null;
    };
  }

  /// Returns the word of a box.
  static long word(Object box) {
    return switch (box) {
      case Boolean value -> value ? 1 : 0;
      case Character value -> value;
      case Float value -> Float.floatToRawIntBits(value);
      case Double value -> Double.doubleToRawLongBits(value);
      case Number value -> value.longValue();
      default -> throw new IllegalArgumentException("not a primitive: " + box.getClass());
    };
  }

  /// Returns its name in descriptions: `long`, `text`, `object`.
  String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
