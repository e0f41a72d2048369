package dev.tigris.cli;

import dev.tigris.sort.RecordFormat;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Parses numbers as people write them: counts such as `1000000`, `1_000_000` or `1M`, and sizes
/// such as `512m` or `1.5g`. A count's units are powers of 1000, a size's are powers of 1024, as in
/// the JVM's own options.
final class Quantity {
  private static final Pattern NUMBER =
      Pattern.compile("(\\d+(?:_+\\d+)*(?:\\.\\d+)?)([kmgt]?)(b|ib)?");
  private static final List<String> UNITS = List.of("", "k", "m", "g", "t");

  /// Parses a number of things.
  static final ITypeConverter<Long> COUNT =
      text ->
          parse(
              text,
              1000,
              RoundingMode.UNNECESSARY,
              "'%s' is not a count, such as 1000000, 1_000_000 or 1M");

  /// Parses a number of bytes, which must be exact.
  static final ITypeConverter<Long> BYTES =
      text ->
          parse(text, 1024, RoundingMode.UNNECESSARY, "'%s' is not a size, such as 100, 64k or 1m");

  /// Parses a limit on memory in bytes, which must not be 0.
  static final ITypeConverter<Long> MEMORY =
      text -> {
        long bytes =
            parse(text, 1024, RoundingMode.DOWN, "'%s' is not a size, such as 512m, 2g or 1.5g");
        if (bytes == 0) {
          throw new TypeConversionException(
              "'%s' is no memory at all: give a size such as 512m".formatted(text));
        }
        return bytes;
      };

  /// Parses a number of bytes of a record or in one.
  static final ITypeConverter<Integer> RECORD_BYTES =
      text -> {
        long bytes = BYTES.convert(text);
        if (bytes > RecordFormat.MAX_RECORD_SIZE) {
          throw new TypeConversionException(
              "'%s' is too large for a record, which has at most %d bytes"
                  .formatted(text, RecordFormat.MAX_RECORD_SIZE));
        }
        return (int) bytes;
      };

  /// Parses a number of threads.
  static final ITypeConverter<Integer> THREADS =
      text -> {
        if (!text.matches("[1-9]\\d{0,3}")) {
          throw new TypeConversionException("'%s' is not a number from 1 to 9999".formatted(text));
        }
        return Integer.valueOf(text);
      };

  private Quantity() {}

  private static long parse(String text, int base, RoundingMode rounding, String refusal) {
    Matcher matcher = NUMBER.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches() || (base == 1000 && matcher.group(3) != null)) {
      throw new TypeConversionException(refusal.formatted(text));
    }
    long unit = 1;
    for (int power = UNITS.indexOf(matcher.group(2)); power > 0; power--) {
      unit *= base;
    }
    String number = matcher.group(1).replace("_", "");
    try {
      if (number.indexOf('.') < 0) {
        return Math.multiplyExact(Long.parseLong(number), unit);
      }
      // Not for whole numbers: its class takes milliseconds to begin with.
      return new BigDecimal(number)
          .multiply(BigDecimal.valueOf(unit))
          .setScale(0, rounding)
          .longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new TypeConversionException(
          refusal.formatted(text) + ": it must be a whole number below 2^63");
    }
  }
}
