package dev.tigris.sort;

/// The classes of bytes in the C locale, where each byte is a character.
final class Blanks {
  private Blanks() {}

  /// A space, a tab, or a newline, which a line has where lines end with NUL.
  static boolean isBlank(byte b) {
    return b <= ' ' && (b == ' ' || b == '\t' || b == '\n');
  }

  static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  static boolean isLetter(byte b) {
    return (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
  }

  /// The upper-case letter of a lower-case one; any other byte as it is.
  static byte upper(byte b) {
    return b >= 'a' && b <= 'z' ? (byte) (b - ('a' - 'A')) : b;
  }

  /// Whether a filter lets a byte count.
  static boolean counts(byte b, LineKey.Filter filter) {
    return switch (filter) {
      case NONE -> true;
      case DICTIONARY -> isBlank(b) || isLetter(b) || isDigit(b);
      case PRINTING -> b >= ' ' && b <= '~';
    };
  }
}
