package dev.tigris.specializer.structure;

import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Reads numbers as Java does: `10`, `0x1f`, `0b101`, `1_000L`, `1.5`, `1e-3f`.
final class Literal {
  private Literal() {}

  /// @param negative whether a minus stands before it, which is then part of it
  static Code of(Words words, Token token, boolean negative) throws RuleException {
    String text = token.text().toLowerCase(Locale.ROOT);
    try {
      if (text.chars().anyMatch(character -> character > 0x7f)) {
        // The JDK reads digits of any script.
        throw new NumberFormatException();
      }
      boolean hexadecimal = text.startsWith("0x");
      boolean floating =
          !hexadecimal && (text.contains(".") || text.contains("e") || text.matches(".*[fd]"));
      return floating ? floating(words, token, text, negative) : whole(token, text, negative);
    } catch (NumberFormatException e) {
      throw words.wrong(token.at(), token + " is not a number, or too large for its type");
    }
  }

  private static Code whole(Token token, String text, boolean negative) {
    boolean isLong = text.endsWith("l");
    String digits = isLong ? text.substring(0, text.length() - 1) : text;
    int radix = digits.startsWith("0x") ? 16 : digits.startsWith("0b") ? 2 : 10;
    if (radix != 10) {
      digits = digits.substring(2);
    } else if (digits.length() > 1 && digits.startsWith("0")) {
      // Octal in Java, and a mistake nearly always.
      throw new NumberFormatException();
    }
    if (digits.startsWith("_") || digits.endsWith("_") || digits.startsWith("+")) {
      throw new NumberFormatException();
    }
    digits = digits.replace("_", "");
    if (isLong) {
      long value = radix == 10 ? Long.parseLong(sign(negative) + digits) : bits(digits, radix);
      return Code.of(
          TypeKind.LONG, token.at(), "constant long " + (radix != 10 && negative ? -value : value));
    }
    int value =
        radix == 10
            ? Integer.parseInt(sign(negative) + digits)
            : Integer.parseUnsignedInt(digits, radix);
    int signed = radix != 10 && negative ? -value : value;
    return new Code(
        TypeKind.INT, token.at(), Optional.of(signed), List.of("constant int " + signed));
  }

  private static long bits(String digits, int radix) {
    return Long.parseUnsignedLong(digits, radix);
  }

  private static String sign(boolean negative) {
    return negative ? "-" : "";
  }

  private static Code floating(Words words, Token token, String text, boolean negative)
      throws RuleException {
    String digits = text.replaceAll("(?<=[0-9])_+(?=[0-9])", "");
    if (text.endsWith("f")) {
      float value = Float.parseFloat(sign(negative) + digits);
      requireInRange(value, digits, words, token);
      return Code.of(TypeKind.FLOAT, token.at(), "constant float " + value);
    }
    double value = Double.parseDouble(sign(negative) + digits);
    requireInRange(value, digits, words, token);
    return Code.of(TypeKind.DOUBLE, token.at(), "constant double " + value);
  }

  /// As in Java, no number becomes infinite by rounding, and none but zero becomes zero.
  private static void requireInRange(double value, String digits, Words words, Token token)
      throws RuleException {
    if (Double.isInfinite(value)) {
      throw words.wrong(token.at(), token + " is too large for its type");
    }
    if (value == 0 && digits.matches("[0.]*[1-9].*")) {
      throw words.wrong(token.at(), token + " is too small for its type");
    }
  }
}
