package dev.tigris.cli;

/// Text of others, as a terminal may show it: names, arguments and logs may have characters that
/// move the cursor, change its colours, or turn the direction of the text.
final class Printable {
  private Printable() {}

  /// Returns the text with an escape for each character that is not shown as it is.
  static String of(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .forEach(
            point -> {
              if (isPlain(point)) {
                shown.appendCodePoint(point);
              } else {
                shown.append(String.format(point < 256 ? "\\x%02x" : "\\u{%x}", point));
              }
            });
    return shown.toString();
  }

  private static boolean isPlain(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          point == '\t';
      default -> true;
    };
  }
}
