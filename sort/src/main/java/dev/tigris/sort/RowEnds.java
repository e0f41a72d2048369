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
    int at = from;
    if (inside) {
      at = LineScan.find(text, at, end, QUOTE) + 1;
    }
    while (at < end) {
      at = LineScan.findEither(text, at, end, delimiter, QUOTE);
      if (at == end || text[at] == delimiter) {
        return at;
      }
      at = LineScan.find(text, at + 1, end, QUOTE) + 1;
    }
    return end;
  }

  /// Whether what follows a part lies between quotes.
  ///
  /// @param inside whether the part begins there
  boolean isInside(byte[] text, int from, int end, boolean inside) {
    return quoted && (inside ^ LineScan.isOdd(text, from, end, QUOTE));
  }
}
