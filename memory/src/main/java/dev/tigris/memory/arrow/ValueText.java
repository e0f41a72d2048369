package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.ArrowType.Unit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/// Writes values of a fixed size as text: numbers in decimal digits, dates and times as ISO 8601
/// has them, bytes in hexadecimal digits.
///
/// Thread rule: any thread.
final class ValueText {
  private static final int SECONDS_A_DAY = 86_400;
  private static final long MILLIS_A_DAY = 1000L * SECONDS_A_DAY;
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

  /// The last day that has a name: the last one of the year 999,999,999.
  private static final long LAST_DAY = LocalDate.MAX.toEpochDay();

  private ValueText() {}

  /// Returns whether values of a type can be written.
  static boolean isKnown(ArrowType type) {
    return SourceColumn.width(type) > 0
        || type instanceof ArrowType.FixedBinary
        || type instanceof ArrowType.Null;
  }

  /// Returns whether the text of a value stands in JSON without quotes.
  static boolean isNumber(ArrowType type) {
    return switch (type) {
      case ArrowType.Whole _, ArrowType.Real _, ArrowType.Decimal _, ArrowType.Bool _ -> true;
      case ArrowType.Duration _ -> true;
      default -> false;
    };
  }

  /// Adds the text of the value at an index.
  static void add(ArrowType type, byte[] values, int index, Growing out) throws ArrowException {
    switch (type) {
      case ArrowType.Bool _ -> out.add(values[index] == 0 ? FALSE : TRUE);
      case ArrowType.Whole whole -> addWhole(Numbers.whole(values, index, whole), whole, out);
      case ArrowType.Real(int bits) -> addReal(Numbers.real(values, index, bits), bits, out);
      case ArrowType.Decimal decimal -> addDecimal(values, index, decimal, out);
      case ArrowType.Date(boolean isMillis) -> {
        long number = number(values, index, isMillis ? Long.SIZE : Integer.SIZE);
        addDay(isMillis ? Math.floorDiv(number, MILLIS_A_DAY) : number, out);
      }
      case ArrowType.Time(Unit unit, int bits) -> addTime(number(values, index, bits), unit, out);
      case ArrowType.Timestamp(Unit unit, String zone) ->
          addTimestamp(number(values, index, Long.SIZE), unit, zone, out);
      case ArrowType.Duration _ -> out.add(ascii(number(values, index, Long.SIZE)));
      case ArrowType.FixedBinary(int bytes) -> addHex(values, index * bytes, bytes, out);
      default -> throw new IllegalStateException("no value of a fixed size: " + type);
    }
  }

  private static long number(byte[] values, int index, int bits) {
    return Numbers.whole(values, index, new ArrowType.Whole(bits, true));
  }

  private static byte[] ascii(Object value) {
    return value.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static void addWhole(long value, ArrowType.Whole type, Growing out) {
    boolean isLarge = value < 0 && !type.isSigned();
    if (isLarge) {
      out.add(ascii(Long.toUnsignedString(value)));
    } else {
      addDigits(value, out);
    }
  }

  /// Adds a number in decimal digits, without an object for it.
  static void addDigits(long value, Growing out) {
    if (value == Long.MIN_VALUE) {
      out.add(ascii(value));
      return;
    }
    long left = Math.abs(value);
    int count = 1;
    for (long limit = 10; count < 19 && left >= limit; limit *= 10) {
      count++;
    }
    int sign = value < 0 ? 1 : 0;
    int at = out.take(count + sign);
    byte[] bytes = out.bytes();
    bytes[at] = '-';
    for (int i = at + sign + count - 1; i >= at + sign; i--) {
      bytes[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  /// Adds a number with at least so many digits, which has no more.
  private static void addPadded(long value, int digits, Growing out) {
    int at = out.take(digits);
    long left = value;
    for (int i = at + digits - 1; i >= at; i--) {
      out.bytes()[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  private static void addReal(double value, int bits, Growing out) {
    out.add(ascii(bits == Double.SIZE ? Double.toString(value) : Float.toString((float) value)));
  }

  private static void addDecimal(byte[] values, int index, ArrowType.Decimal type, Growing out) {
    int width = type.bits() / Byte.SIZE;
    byte[] number = new byte[width];
    for (int i = 0; i < width; i++) {
      number[i] = values[(index + 1) * width - 1 - i]; // the lowest byte comes first in Arrow
    }
    out.add(ascii(new BigDecimal(new BigInteger(number), type.scale()).toPlainString()));
  }

  private static void addDay(long day, Growing out) throws ArrowException {
    if (Math.abs(day) > LAST_DAY) {
      throw new ArrowException(
          "day %d since 1970 lies behind the year 999,999,999, the last that is written"
              .formatted(day));
    }
    LocalDate date = LocalDate.ofEpochDay(day);
    if (date.getYear() < 0 || date.getYear() > 9999) {
      out.add(ascii(date));
      return;
    }
    addPadded(date.getYear(), 4, out);
    out.add((byte) '-');
    addPadded(date.getMonthValue(), 2, out);
    out.add((byte) '-');
    addPadded(date.getDayOfMonth(), 2, out);
  }

  private static void addTime(long value, Unit unit, Growing out) throws ArrowException {
    if (value < 0 || value >= SECONDS_A_DAY * unit.perSecond) {
      throw new ArrowException("%d %s are no time of a day".formatted(value, unit.symbol));
    }
    addClock(value, unit, out);
  }

  /// Adds hours, minutes and seconds, and the part of a second if there is one.
  private static void addClock(long value, Unit unit, Growing out) {
    long seconds = value / unit.perSecond;
    addPadded(seconds / 3600, 2, out);
    out.add((byte) ':');
    addPadded(seconds / 60 % 60, 2, out);
    out.add((byte) ':');
    addPadded(seconds % 60, 2, out);
    long part = value % unit.perSecond;
    if (part != 0) {
      out.add((byte) '.');
      addPadded(part, Long.toString(unit.perSecond).length() - 1, out);
    }
  }

  /// Adds a date and a time: with a zone, those of UTC, and a Z behind them.
  private static void addTimestamp(long value, Unit unit, @Nullable String zone, Growing out)
      throws ArrowException {
    long perDay = SECONDS_A_DAY * unit.perSecond;
    addDay(Math.floorDiv(value, perDay), out);
    out.add((byte) 'T');
    addClock(Math.floorMod(value, perDay), unit, out);
    if (zone != null && !zone.isEmpty()) {
      out.add((byte) 'Z');
    }
  }

  /// Adds bytes in hexadecimal digits.
  static void addHex(byte[] bytes, int from, int count, Growing out) {
    int at = out.take(2 * count);
    byte[] target = out.bytes();
    for (int i = 0; i < count; i++) {
      target[at + 2 * i] = DIGITS[bytes[from + i] >> 4 & 15];
      target[at + 2 * i + 1] = DIGITS[bytes[from + i] & 15];
    }
  }
}
