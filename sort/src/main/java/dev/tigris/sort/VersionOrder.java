package dev.tigris.sort;

/// Names with version numbers in them, as `sort -V` compares them: a version of Debian's rule that
/// leaves the ends of file names out at first.
///
/// Numbers compare by value, letters come before all other characters, and `~` before the end. The
/// names `.` and `..` come first, then those that begin with a point.
final class VersionOrder {
  private VersionOrder() {}

  /// Compares two names.
  static int compare(byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int leftLength = leftEnd - leftStart;
    int length = end - start;
    if (leftLength == 0 || length == 0) {
      return Integer.signum(leftLength) - Integer.signum(length);
    }
    int dots = dots(left, leftStart, leftEnd) - dots(right, start, end);
    if (dots != 0 || dots(right, start, end) < PLAIN - 1) {
      return dots; // of two that are both "." or both ".."
    }
    int leftStem = stem(left, leftStart, leftEnd);
    int stem = stem(right, start, end);
    int compared = compareParts(left, leftStart, leftStem, right, start, stem);
    boolean isAll = leftStem == leftEnd && stem == end;
    return compared != 0 || isAll
        ? compared
        : compareParts(left, leftStart, leftEnd, right, start, end);
  }

  private static final int PLAIN = 3;

  /// 0 for ".", 1 for "..", 2 for other names with a point in front, 3 for the rest.
  private static int dots(byte[] name, int start, int end) {
    if (name[start] != '.') {
      return PLAIN;
    }
    if (end - start == 1) {
      return 0;
    }
    return end - start == 2 && name[start + 1] == '.' ? 1 : 2;
  }

  /// Where the endings of a name begin, such as `.tar.gz`: points, each with a letter behind it.
  private static int stem(byte[] name, int start, int end) {
    int stem = start;
    int at = start;
    while (true) {
      while (at + 1 < end
          && name[at] == '.'
          && (Blanks.isLetter(name[at + 1]) || name[at + 1] == '~')) {
        at += 2;
        while (at < end
            && (Blanks.isLetter(name[at]) || Blanks.isDigit(name[at]) || name[at] == '~')) {
          at++;
        }
      }
      if (at >= end) {
        return stem;
      }
      at++;
      stem = at;
    }
  }

  private static int compareParts(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = leftStart;
    int r = start;
    while (l < leftEnd || r < end) {
      while (isOther(left, l, leftEnd) || isOther(right, r, end)) {
        int compared = weight(left, l, leftEnd) - weight(right, r, end);
        if (compared != 0) {
          return compared;
        }
        l++;
        r++;
      }
      while (l < leftEnd && left[l] == '0') {
        l++;
      }
      while (r < end && right[r] == '0') {
        r++;
      }
      int differs = 0;
      while (isDigit(left, l, leftEnd) && isDigit(right, r, end)) {
        differs = differs != 0 ? differs : left[l] - right[r];
        l++;
        r++;
      }
      if (isDigit(left, l, leftEnd)) {
        return 1;
      }
      if (isDigit(right, r, end)) {
        return -1;
      }
      if (differs != 0) {
        return differs;
      }
    }
    return 0;
  }

  private static boolean isDigit(byte[] name, int at, int end) {
    return at < end && Blanks.isDigit(name[at]);
  }

  private static boolean isOther(byte[] name, int at, int end) {
    return at < end && !Blanks.isDigit(name[at]);
  }

  private static int weight(byte[] name, int at, int end) {
    if (at >= end) {
      return -1;
    }
    byte b = name[at];
    if (Blanks.isDigit(b)) {
      return 0;
    }
    if (Blanks.isLetter(b)) {
      return b;
    }
    return b == '~' ? -2 : Byte.toUnsignedInt(b) + 256;
  }
}
