package dev.tigris.message.protocol;

/// Sequence numbers of some width, which wrap around. On the wire they have 64 bits; a simulation
/// takes fewer, so that it sees them wrap.
///
/// @param bits the width, from 4 to 64
public record Numbers(int bits) {
  /// Checks the width.
  public Numbers {
    if (bits < 4 || bits > Long.SIZE) {
      throw new IllegalArgumentException(
          "numbers of %d bits: 4 to 64 are possible".formatted(bits));
    }
  }

  /// Returns the number that lies `count` after another.
  public long plus(long number, long count) {
    return clip(number + count);
  }

  /// Returns how far `later` lies behind `earlier`; negative if it lies before it. Two numbers that
  /// are half of all numbers apart or more have no order.
  public long distance(long earlier, long later) {
    int unused = Long.SIZE - bits;
    return (later - earlier) << unused >> unused;
  }

  /// Returns the number nearest to a known one whose last 16 bits are those of `low`.
  public long nearest(long known, long low) {
    return plus(known, (short) (low - known));
  }

  /// Whether a number has no more bits than there are.
  public boolean isNumber(long number) {
    return clip(number) == number;
  }

  private long clip(long number) {
    return bits == Long.SIZE ? number : number & ((1L << bits) - 1);
  }
}
