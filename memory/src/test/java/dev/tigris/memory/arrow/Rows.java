package dev.tigris.memory.arrow;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoTable;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// Rows as text, in the form of `print.py`.
final class Rows {
  private Rows() {}

  static List<String> of(PsoTable<? extends Pso> table) {
    List<String> lines = new ArrayList<>();
    List<Cell> cells = List.of();
    for (Pso row : table) {
      cells = cells.isEmpty() ? Cell.of(PsoLayout.of(row.getClass()), true) : cells;
      Map<String, @Nullable Object> values = PsoLayout.valuesOf(row);
      StringJoiner line = new StringJoiner(";");
      for (Cell cell : cells) {
        line.add(show(values.get(cell.name()), cell));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private static String show(@Nullable Object value, Cell cell) {
    boolean isUnsigned = cell.meaning() == ArrowAs.Meaning.UNSIGNED;
    return switch (value) {
      case null -> "null";
      case Boolean flag -> flag.toString();
      case Byte number -> Integer.toString(isUnsigned ? number & 0xff : number);
      case Short number -> Integer.toString(isUnsigned ? number & 0xffff : number);
      case Character letter -> Integer.toString(letter);
      case Integer number ->
          isUnsigned ? Integer.toUnsignedString(number) : Integer.toString(number);
      case Long number -> isUnsigned ? Long.toUnsignedString(number) : Long.toString(number);
      case Float number -> real(number);
      case Double number -> real(number);
      case Enum<?> constant -> text(constant.name());
      case String text -> text(text);
      case Map<?, ?> inner -> {
        StringJoiner all = new StringJoiner(",", "{", "}");
        for (Cell each : cell.inner()) {
          all.add(each.name() + "=" + show(inner.get(each.name()), each));
        }
        yield all.toString();
      }
      case byte[] bytes when !isUnsigned -> HexFormat.of().formatHex(bytes);
      default -> {
        StringJoiner all = new StringJoiner(",", "[", "]");
        for (int i = 0; i < Array.getLength(value); i++) {
          all.add(show(Array.get(value, i), cell));
        }
        yield all.toString();
      }
    };
  }

  private static String text(String text) {
    return HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.UTF_16BE));
  }

  /// As Python's `float.hex` prints it.
  private static String real(double number) {
    if (Double.isNaN(number)) {
      return "nan";
    }
    if (Double.isInfinite(number)) {
      return number > 0 ? "inf" : "-inf";
    }
    String sign = number < 0 || 1 / number < 0 ? "-" : "";
    if (number == 0) {
      return sign + "0x0.0p+0";
    }
    long bits = Double.doubleToRawLongBits(number);
    int exponent = Math.getExponent(number);
    return "%s0x1.%013xp%+d".formatted(sign, bits & 0xf_ffff_ffff_ffffL, exponent);
  }
}
