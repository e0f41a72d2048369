package dev.tigris.memory.arrow;

/// A bitmap at the end of which bits are added, the lowest bit of each byte first.
///
/// Thread rule: one thread.
final class Bits {
  private final Growing data = new Growing();
  private int count;

  void add(boolean bit) {
    int at = (count & 7) == 0 ? data.take(1) : data.length() - 1;
    byte[] bytes = data.bytes();
    int before = (count & 7) == 0 ? 0 : bytes[at];
    bytes[at] = (byte) (before | (bit ? 1 << (count & 7) : 0));
    count++;
  }

  int count() {
    return count;
  }

  void addTo(Batch batch) {
    batch.buffer(data.bytes(), data.length());
  }

  void clear() {
    data.clear();
    count = 0;
  }

  /// Whether a bit is set in a bitmap.
  static boolean isSet(byte[] bitmap, long bit) {
    return (bitmap[(int) (bit >>> 3)] >>> (int) (bit & 7) & 1) != 0;
  }
}
