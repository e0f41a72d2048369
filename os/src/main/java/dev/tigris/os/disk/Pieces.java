package dev.tigris.os.disk;

/// How a transfer is cut into pieces that go around the page cache and through it: a pure function
/// of what is left of it, so that it serves the first piece and what follows a short one.
final class Pieces {
  /// The most that one piece has: the kernel transfers two GiB, less a page, at a time.
  static final long MOST_BYTES = 1 << 30;

  private Pieces() {}

  /// Returns how many bytes are next, negated if they go through the cache.
  ///
  /// A transfer of whole direct units goes around the cache as it is. Another one is cut where
  /// pages begin and not where units do: a page is in the cache or not as a whole, and no page is
  /// written both ways by one transfer.
  ///
  /// @param left how many bytes are left, one at least
  /// @param memory what addresses of direct pieces are multiples of
  /// @param unit what positions and sizes of direct pieces are multiples of
  /// @param page the bytes of a page of the cache
  static long next(long position, long address, long left, int memory, int unit, long page) {
    long block = Math.max(page, unit);
    boolean isAligned = position % unit == 0 && address % memory == 0;
    if (isAligned && left % unit == 0) {
      return Math.min(left, MOST_BYTES);
    }
    if (isAligned && position % block == 0) {
      return left < block ? -left : Math.min(left - left % block, MOST_BYTES);
    }
    long head = block - position % block;
    boolean helps = left >= head + block && (address + head) % memory == 0;
    return helps ? -head : -Math.min(left, MOST_BYTES);
  }
}
