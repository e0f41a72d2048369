package dev.tigris.sort;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A typed key of a record, and how it becomes bytes whose unsigned order is its own.
///
/// ```
///   integer, float   little-endian ones are turned round    7 6 5 4 3 2 1 0 -> 0 1 2 3 4 5 6 7
///   signed integer   the sign bit is flipped                80.. .. 7f..    -> 00.. .. ff..
///   float            the sign bit is flipped; of a negative number, all bits
///   descending       all bits are flipped
/// ```
///
/// Each step can be undone, so the bytes say all that the key says.
///
/// @param offset where it begins in the record
/// @param length how many bytes it has
/// @param kind what its bytes mean
/// @param littleEndian whether its lowest byte comes first
/// @param descending whether larger ones come first
record RecordKey(int offset, int length, Kind kind, boolean littleEndian, boolean descending) {
  /// What the bytes of a key mean.
  enum Kind {
    BYTES,
    UNSIGNED,
    SIGNED,
    FLOAT
  }

  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9]{1,10}):(?:([uif])([0-9]{1,3})(le|be)?|(ascii|bytes):([0-9]{1,10}))(:desc)?");
  private static final int MOST_BITS = 64;
  private static final String FORM =
      "a key of records has the form OFFSET:TYPE[:desc], such as 8:u64le, 16:f64be:desc or"
          + " 0:ascii:10";

  /// A key of unsigned bytes.
  static RecordKey bytes(int offset, int length) {
    return new RecordKey(offset, length, Kind.BYTES, false, false);
  }

  /// Reads a key such as `8:u64le:desc`.
  ///
  /// @throws IllegalArgumentException if it has another form, or lies outside of a record
  static RecordKey parse(String text, int recordSize) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("the key '%s' is none: %s".formatted(text, FORM));
    }
    long offset = Long.parseLong(matcher.group(1));
    boolean isText = matcher.group(5) != null;
    long length =
        isText
            ? Long.parseLong(matcher.group(6))
            : numberLength(text, matcher.group(2), Integer.parseInt(matcher.group(3)));
    if (length < 1 || offset + length > recordSize) {
      throw new IllegalArgumentException(
          "the key '%s' of %d bytes does not lie inside a record of %d bytes"
              .formatted(text, length, recordSize));
    }
    if (!isText && length > 1 && matcher.group(4) == null) {
      throw new IllegalArgumentException(
          "the key '%s' does not say its byte order: add le (lowest byte first) or be"
              .formatted(text));
    }
    Kind kind =
        isText
            ? Kind.BYTES
            : switch (matcher.group(2)) {
              case "u" -> Kind.UNSIGNED;
              case "i" -> Kind.SIGNED;
              default -> Kind.FLOAT;
            };
    return new RecordKey(
        (int) offset, (int) length, kind, "le".equals(matcher.group(4)), matcher.group(7) != null);
  }

  private static int numberLength(String text, String letter, int bits) {
    boolean fits =
        letter.equals("f")
            ? bits == Float.SIZE || bits == Double.SIZE
            : bits >= Byte.SIZE && bits <= MOST_BITS && bits % Byte.SIZE == 0;
    if (!fits) {
      throw new IllegalArgumentException(
          letter.equals("f")
              ? "the key '%s' has %d bits: floating-point numbers have 32 or 64"
                  .formatted(text, bits)
              : "the key '%s' has %d bits: integers have 8, 16, 24, ... or 64"
                  .formatted(text, bits));
    }
    return bits / Byte.SIZE;
  }

  /// Whether its bytes compare as they are.
  boolean isPlain() {
    boolean isOrdered = kind == Kind.BYTES || (kind == Kind.UNSIGNED && !littleEndian);
    return isOrdered && !descending;
  }

  /// Writes the bytes that stand for the key of each of `count` records.
  ///
  /// @param from where the key of the first record begins in `source`
  /// @param step how far the next one is
  /// @param to where its bytes go in `target`, which may be the same array and place
  /// @param toStep how far the next ones go
  void encode(byte[] source, int from, int step, byte[] target, int to, int toStep, int count) {
    if (kind == Kind.BYTES) {
      transferBytes(source, from, step, target, to, toStep, count);
      return;
    }
    int bits = Byte.SIZE * length;
    long all = -1L >>> (Long.SIZE - bits);
    long flip = (kind == Kind.UNSIGNED ? 0 : 1L << (bits - 1)) ^ (descending ? all : 0);
    long negative = kind == Kind.FLOAT ? all >>> 1 : 0; // what is flipped besides
    int sign = bits - 1;
    for (int i = 0, at = from, goes = to; i < count; i++, at += step, goes += toStep) {
      long value = KeyBytes.get(source, at, length, littleEndian);
      value ^= flip ^ (-(value >>> sign) & negative);
      KeyBytes.put(target, goes, length, false, value);
    }
  }

  /// Undoes [#encode]: writes the keys that bytes stand for.
  void decode(byte[] source, int from, int step, byte[] target, int to, int toStep, int count) {
    if (kind == Kind.BYTES) {
      transferBytes(source, from, step, target, to, toStep, count);
      return;
    }
    int bits = Byte.SIZE * length;
    long all = -1L >>> (Long.SIZE - bits);
    long flip = (kind == Kind.UNSIGNED ? 0 : 1L << (bits - 1)) ^ (descending ? all : 0);
    long negative = kind == Kind.FLOAT ? all >>> 1 : 0;
    int sign = bits - 1;
    for (int i = 0, at = from, goes = to; i < count; i++, at += step, goes += toStep) {
      long value = KeyBytes.get(source, at, length, false) ^ flip;
      value ^= -(value >>> sign) & negative;
      KeyBytes.put(target, goes, length, littleEndian, value);
    }
  }

  private void transferBytes(
      byte[] source, int from, int step, byte[] target, int to, int toStep, int count) {
    int flip = descending ? -1 : 0;
    for (int i = 0, at = from, goes = to; i < count; i++, at += step, goes += toStep) {
      for (int b = 0; b < length; b++) {
        target[goes + b] = (byte) (source[at + b] ^ flip);
      }
    }
  }

  /// Compares the keys of the records that begin at these places.
  int compare(byte[] left, int leftRecord, byte[] right, int rightRecord) {
    byte[] one = new byte[length];
    byte[] other = new byte[length];
    encode(left, leftRecord + offset, 0, one, 0, 0, 1);
    encode(right, rightRecord + offset, 0, other, 0, 0, 1);
    return Arrays.compareUnsigned(one, other);
  }

  @Override
  public String toString() {
    String bits = String.valueOf(Byte.SIZE * length);
    String order = length == 1 ? "" : littleEndian ? "le" : "be";
    String type =
        switch (kind) {
          case BYTES -> "bytes:" + length;
          case UNSIGNED -> "u" + bits + order;
          case SIGNED -> "i" + bits + order;
          case FLOAT -> "f" + bits + order;
        };
    return offset + ":" + type + (descending ? ":desc" : "");
  }
}
