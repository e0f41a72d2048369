package dev.tigris.sort;

import java.util.Arrays;
import java.util.List;

/// The *levels* that decide between two lines. They are compared one after the other, each of them
/// is a key, and the last one of some orders is the whole line.
///
/// A *place* says up to where lines agree: in all levels before its own, and in so many bytes of
/// the key of that one.
///
/// ```
///   31            24 23                      0
///   +---------------+------------------------+
///   |     level     |  offset in its key     |
///   +---------------+------------------------+
/// ```
///
/// Thread rule: immutable, any thread.
final class KeyLevels {
  /// Says that lines differ in what only a comparison sees.
  static final int UNSEEN = -1;

  private static final int LEVEL_BITS = 24;

  /// With more, a place would be negative.
  private static final int MOST_LEVELS = Integer.MAX_VALUE >>> LEVEL_BITS;

  private static final int OFFSET_MASK = (1 << LEVEL_BITS) - 1;

  private final FieldFinder fields;
  private final LineKey[] levels;

  /// Per level, whether it is all bytes of a line: looked at for each line, and so known before.
  private final boolean[] allBytes;

  KeyLevels(FieldFinder fields, List<LineKey> keys) {
    if (keys.size() > MOST_LEVELS) {
      throw new IllegalArgumentException(
          "%d keys, the whole line among them: an order has at most %d"
              .formatted(keys.size(), MOST_LEVELS));
    }
    this.fields = fields;
    this.levels = keys.toArray(LineKey[]::new);
    this.allBytes = new boolean[levels.length];
    for (int level = 0; level < levels.length; level++) {
      allBytes[level] = levels[level].isAllBytes();
    }
  }

  /// How many there are.
  int count() {
    return levels.length;
  }

  /// How many places there are: the one behind the last.
  int places() {
    return levels.length << LEVEL_BITS;
  }

  /// The level of a place.
  static int level(int place) {
    return place >>> LEVEL_BITS;
  }

  /// The offset of a place in the key of its level.
  static int offset(int place) {
    return place & OFFSET_MASK;
  }

  /// The place of a level's first byte.
  static int beginning(int level) {
    return level << LEVEL_BITS;
  }

  /// Whether a level is all bytes of a line.
  boolean isAllBytes(int level) {
    return allBytes[level];
  }

  /// Where the key of a level lies in a line, as [FieldFinder#place] writes it.
  long find(int level, byte[] line, int start, int end) {
    return allBytes[level]
        ? FieldFinder.place(start, end)
        : fields.find(line, start, end, levels[level]);
  }

  /// Compares two lines by all levels.
  int compare(byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    for (int level = 0; level < levels.length; level++) {
      int compared =
          compare(
              level,
              left,
              find(level, left, leftStart, leftEnd),
              right,
              find(level, right, start, end));
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  /// Compares the keys of a level, which were found there.
  int compare(int level, byte[] left, long leftKey, byte[] right, long key) {
    int compared =
        allBytes[level]
            ? Arrays.compareUnsigned(
                left,
                FieldFinder.start(leftKey),
                FieldFinder.end(leftKey),
                right,
                FieldFinder.start(key),
                FieldFinder.end(key))
            : compareKeys(levels[level], left, leftKey, right, key);
    return levels[level].reversed() ? -compared : compared;
  }

  private int compareKeys(LineKey key, byte[] left, long leftPlace, byte[] right, long place) {
    int leftFrom = FieldFinder.start(leftPlace);
    int leftTo = FieldFinder.end(leftPlace);
    int from = FieldFinder.start(place);
    int to = FieldFinder.end(place);
    byte[] one = left;
    byte[] other = right;
    if (fields.hasQuotes(left, leftFrom, leftTo)) {
      one = FieldFinder.withoutDoubledQuotes(left, leftFrom, leftTo);
      leftFrom = 0;
      leftTo = one.length;
    }
    if (fields.hasQuotes(right, from, to)) {
      other = FieldFinder.withoutDoubledQuotes(right, from, to);
      from = 0;
      to = other.length;
    }
    return key.isPlainText()
        ? Arrays.compareUnsigned(one, leftFrom, leftTo, other, from, to)
        : KeyKinds.compare(key, one, leftFrom, leftTo, other, from, to);
  }

  /// Returns what decides most between lines that agree in all before a place: eight bytes of a
  /// key, or a number that stands for it, unsigned. Place 0 is the beginning of the first key;
  /// others are given by [#agreement].
  ///
  /// @param found where the key of the place's level lies in the line
  long prefix(int place, byte[] line, long found) {
    int level = level(place);
    LineKey key = levels[level];
    int from = FieldFinder.start(found);
    int to = FieldFinder.end(found);
    long prefix;
    if (allBytes[level]) {
      prefix = KeyKinds.leading(line, from + (long) offset(place), to);
    } else {
      byte[] source = line;
      if (fields.hasQuotes(line, from, to)) {
        source = FieldFinder.withoutDoubledQuotes(line, from, to);
        from = 0;
        to = source.length;
      }
      prefix =
          key.isPlainText()
              ? KeyKinds.leading(source, from + (long) offset(place), to)
              : KeyKinds.prefix(key, source, from, to);
    }
    return key.reversed() ? ~prefix : prefix;
  }

  /// The place up to which two lines agree, if they do so before a place: where the next prefix
  /// may differ; [#UNSEEN] if they differ in what no prefix shows.
  ///
  /// @param place is of a level
  /// @param leftFound where the key of that level lies in the left line
  /// @param found likewise in the right one
  int agreement(int place, byte[] left, long leftFound, byte[] right, long found) {
    int level = level(place);
    LineKey key = levels[level];
    int leftFrom = FieldFinder.start(leftFound);
    int leftTo = FieldFinder.end(leftFound);
    int from = FieldFinder.start(found);
    int to = FieldFinder.end(found);
    boolean isSeen =
        allBytes[level]
            || (key.isPlainText()
                && !fields.hasQuotes(left, leftFrom, leftTo)
                && !fields.hasQuotes(right, from, to));
    int differs = Arrays.mismatch(left, leftFrom, leftTo, right, from, to);
    if (differs < 0) {
      return beginning(level + 1); // of whatever kind the keys are
    }
    if (!isSeen) {
      return compare(level, left, leftFound, right, found) == 0 ? beginning(level + 1) : UNSEEN;
    }
    // Behind the end of the longer key nothing is left that would differ, but zeros at its end.
    int longest = Math.max(leftTo - leftFrom, to - from);
    return differs > OFFSET_MASK - Long.BYTES || offset(place) >= longest
        ? UNSEEN
        : beginning(level) | Math.max(offset(place), differs);
  }

  /// Whether two lines agree in all before a place.
  boolean agrees(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end, int place) {
    int last = level(place);
    int offset = offset(place);
    for (int level = 0; level < last + (offset > 0 ? 1 : 0); level++) {
      long leftFound = find(level, left, leftStart, leftEnd);
      long found = find(level, right, start, end);
      if (level == last) {
        return agrees(left, leftFound, right, found, offset);
      }
      if (compare(level, left, leftFound, right, found) != 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean agrees(byte[] left, long leftFound, byte[] right, long found, int bytes) {
    int differs =
        Arrays.mismatch(
            left,
            FieldFinder.start(leftFound),
            FieldFinder.end(leftFound),
            right,
            FieldFinder.start(found),
            FieldFinder.end(found));
    return differs < 0 || differs >= bytes;
  }

  /// The last place before which two lines agree. Of keys whose quotes do not count, a place is the
  /// beginning: bytes of theirs cannot be compared where they lie.
  int lastAgreement(byte[] left, byte[] right) {
    int place = 0;
    int next = agreement(left, right, place);
    while (next > place && next < places()) {
      boolean sameKey = level(next) == level(place);
      place = next;
      next = sameKey ? place : agreement(left, right, place);
    }
    boolean isRaw = !fields.quoted() || allBytes[level(place)];
    return isRaw ? place : beginning(level(place));
  }

  private int agreement(byte[] left, byte[] right, int place) {
    int level = level(place);
    return agreement(
        place, left, find(level, left, 0, left.length), right, find(level, right, 0, right.length));
  }
}
