package dev.tigris.flow.text;

/// The format of rows.
///
/// @param isCsv whether fields may stand in quotes (RFC 4180)
/// @param separator the byte between two fields; a line feed for none
/// @param hasHeader whether the first row of a file names its columns
record TextFormat(boolean isCsv, byte separator, boolean hasHeader) {
  static final TextFormat CSV = new TextFormat(true, (byte) ',', true);
  static final TextFormat LINES = new TextFormat(false, Scan.LINE_FEED, false);

  TextFormat withSeparator(char character) {
    if (character >= 0x80 || character == '"' || character == '\n' || character == '\r') {
      throw new IllegalArgumentException(
          "the separator '%s' is not possible: take one ASCII character, not a quote or an end of line"
              .formatted(character));
    }
    return new TextFormat(isCsv, (byte) character, hasHeader);
  }

  TextFormat withHeader(boolean has) {
    return new TextFormat(isCsv, separator, has);
  }
}
