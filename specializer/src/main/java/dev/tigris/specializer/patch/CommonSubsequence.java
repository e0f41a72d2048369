package dev.tigris.specializer.patch;

/// Finds a longest common subsequence of two ranges of bytes, and with it the shortest edit script,
/// by the algorithm of Myers in linear space ("An O(ND) difference algorithm and its variations",
/// Algorithmica 1, 1986; Welsh 2000 [21]).
///
/// Paths lead from the top left of a grid to the bottom right: a step to the right skips a byte, a
/// step down inserts one, a diagonal copies one. `forward[k]` is how far right on diagonal `k` one
/// gets from the start with `d` steps, `backward[k]` how far left from the end. Where the two meet,
/// the path of `2d` or `2d - 1` steps is a shortest one, and both halves are solved in turn.
final class CommonSubsequence {
  /// Ranges that differ in more places are replaced as a whole: work stays within this times the
  /// length.
  private static final int MAX_STEPS = 8_192;

  private static final int UNREACHED = -1;

  /// Takes the steps of an edit script, in their order.
  interface Steps {
    void copy(int count);

    void skip(int count);

    /// Inserts the bytes `[start, end)` of the second sequence.
    void insert(int start, int end);
  }

  private final byte[] from;
  private final byte[] to;
  private final Steps script;
  private final int[] forward;
  private final int[] backward;
  private final int centre;
  private int meetX;
  private int meetY;

  private CommonSubsequence(byte[] from, byte[] to, Steps script, int length) {
    this.from = from;
    this.to = to;
    this.script = script;
    this.centre = Math.min(MAX_STEPS, length / 2 + 1) + 1;
    this.forward = new int[2 * centre + 1];
    this.backward = new int[2 * centre + 1];
  }

  /// Adds to `script` what turns the range `[fromStart, fromEnd)` into `[toStart, toEnd)`.
  static void script(
      byte[] from, int fromStart, int fromEnd, byte[] to, int toStart, int toEnd, Steps out) {
    int length = fromEnd - fromStart + toEnd - toStart;
    new CommonSubsequence(from, to, out, length).solve(fromStart, fromEnd, toStart, toEnd);
  }

  private void solve(int fromStart, int fromEnd, int toStart, int toEnd) {
    int left = fromStart;
    int top = toStart;
    while (left < fromEnd && top < toEnd && from[left] == to[top]) {
      left++;
      top++;
    }
    int right = fromEnd;
    int bottom = toEnd;
    while (left < right && top < bottom && from[right - 1] == to[bottom - 1]) {
      right--;
      bottom--;
    }
    script.copy(left - fromStart);
    if (left < right && top < bottom && meet(left, right, top, bottom)) {
      int x = meetX;
      int y = meetY;
      solve(left, x, top, y);
      solve(x, right, y, bottom);
    } else {
      script.skip(right - left);
      script.insert(top, bottom);
    }
    script.copy(fromEnd - right);
  }

  /// Finds a point inside of a shortest path, neither of its ends; false if it has too many steps.
  private boolean meet(int left, int right, int top, int bottom) {
    int width = right - left;
    int height = bottom - top;
    int delta = width - height;
    int most = Math.min(MAX_STEPS, (width + height + 1) / 2);
    for (int d = 0; d <= most; d++) {
      for (int k = -d; k <= d; k += 2) {
        int x = furthest(d, k, width, height);
        if (x != UNREACHED) {
          while (x < width && x - k < height && from[left + x] == to[top + x - k]) {
            x++;
          }
        }
        forward[centre + k] = x;
        int opposite = k - delta;
        if (x != UNREACHED && (delta & 1) != 0 && Math.abs(opposite) < d) {
          int other = backward[centre + opposite];
          if (other != UNREACHED && other <= x) {
            meetX = left + x;
            meetY = top + x - k;
            return true;
          }
        }
      }
      for (int k = -d; k <= d; k += 2) {
        int diagonal = k + delta;
        int x = nearest(d, k, width, diagonal);
        if (x != UNREACHED) {
          while (x > 0 && x - diagonal > 0 && from[left + x - 1] == to[top + x - diagonal - 1]) {
            x--;
          }
        }
        backward[centre + k] = x;
        if (x != UNREACHED && (delta & 1) == 0 && Math.abs(diagonal) <= d) {
          int other = forward[centre + diagonal];
          if (other != UNREACHED && other >= x) {
            meetX = left + x;
            meetY = top + x - diagonal;
            return true;
          }
        }
      }
    }
    return false;
  }

  /// The furthest start on diagonal `k` after step `d`: from above, or from the left.
  private int furthest(int d, int k, int width, int height) {
    if (d == 0) {
      return 0;
    }
    int above = k < d ? forward[centre + k + 1] : UNREACHED;
    int before = k > -d ? forward[centre + k - 1] : UNREACHED;
    int down = above != UNREACHED && above - k <= height ? above : UNREACHED;
    int across = before != UNREACHED && before < width ? before + 1 : UNREACHED;
    return Math.max(down, across);
  }

  /// The same from the end: from below, or from the right.
  private int nearest(int d, int k, int width, int diagonal) {
    if (d == 0) {
      return width;
    }
    int below = k > -d ? backward[centre + k - 1] : UNREACHED;
    int after = k < d ? backward[centre + k + 1] : UNREACHED;
    int up = below != UNREACHED && below - diagonal >= 0 ? below : UNREACHED;
    int back = after > 0 ? after - 1 : UNREACHED;
    if (up == UNREACHED || back == UNREACHED) {
      return Math.max(up, back);
    }
    return Math.min(up, back);
  }
}
