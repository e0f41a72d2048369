package dev.tigris.sort;

/// Finds where lines end, or rows of CSV, in which an end between quotes does not count.
///
/// In CSV each quote begins a quoted part or ends one: a doubled quote ends one and begins another
/// at once, so that only their number counts.
///
/// @param delimiter the byte that ends a line or row
/// @param quoted whether quotes count
record RowEnds(byte delimiter, boolean quoted) {
  private static final byte QUOTE = '"';

  /// Where the line that begins at `from` ends: at its delimiter; `end` if that is not there.
  int find(byte[] text, int from, int end) {
    return find(text, from, end, false);
  }

  /// Likewise from inside a line.
  ///
  /// @param inside whether `from` lies between quotes
  int find(byte[] text, int from, int end, boolean inside) {
    if (!quoted) {
      return LineScan.find(text, from, end, delimiter);
    }
    boolean quote = inside;
    for (int at = from; at < end; at++) {
      byte b = text[at];
      if (b == QUOTE) {
        quote = !quote;
      } else if (b == delimiter && !quote) {
        return at;
      }
    }
    return end;
  }

  /// Whether what follows a part lies between quotes.
  ///
  /// @param inside whether the part begins there
  boolean isInside(byte[] text, int from, int end, boolean inside) {
    boolean quote = inside;
    for (int at = from; at < end && quoted; at++) {
      quote ^= text[at] == QUOTE;
    }
    return quote;
  }
}
