package dev.tigris.net.shm;

import dev.tigris.os.LastingMemory;

/// The memory that two processes share, as one of them sees it.
///
/// ```text
///        0 +---------------------------------------+
///          | word of the side that has connected   |  Bell
///      128 +---------------------------------------+
///          | word of the side that has accepted    |
///      256 +---------------------------------------+
///          | from the former to the latter         |  Ring
///          | from the latter to the former         |  Ring
///          +---------------------------------------+
///          | nothing, up to a whole page           |
///          +---------------------------------------+
/// ```
///
/// The side that connects chooses one of two sizes, both rings of which have large or small data.
record Channel(RingWriter out, RingReader in, Bell bell) {
  static final long SMALL_BYTES = bytes(Ring.SMALL_DATA);

  static final long LARGE_BYTES = bytes(Ring.LARGE_DATA);

  /// Whole pages, and no multiple of a huge one.
  private static long bytes(int dataBytes) {
    return (Bell.BYTES + 2 * Ring.bytes(dataBytes) + 4095) & -4096;
  }

  /// Whether it is one of the two.
  static boolean isSize(long bytes) {
    return bytes == LARGE_BYTES || bytes == SMALL_BYTES;
  }

  /// How much data the rings have in memory of one of the two.
  static int dataBytes(long bytes) {
    if (!isSize(bytes)) {
      throw new IllegalArgumentException("no channel has %d bytes".formatted(bytes));
    }
    return bytes == LARGE_BYTES ? Ring.LARGE_DATA : Ring.SMALL_DATA;
  }

  /// The channel in memory of either size.
  static Channel over(LastingMemory memory, boolean connected) {
    int dataBytes = dataBytes(memory.bytes());
    long ringBytes = Ring.bytes(dataBytes);
    LastingMemory first = memory.slice(Bell.BYTES, ringBytes);
    LastingMemory second = memory.slice(Bell.BYTES + ringBytes, ringBytes);
    return new Channel(
        new RingWriter(connected ? first : second, dataBytes),
        new RingReader(connected ? second : first, dataBytes),
        new Bell(memory.slice(0, Bell.BYTES), connected));
  }
}
