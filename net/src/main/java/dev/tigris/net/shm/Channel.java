package dev.tigris.net.shm;

import dev.tigris.net.linux.LastingMemory;

/// The memory that two processes share, as one of them sees it.
///
/// ```text
///        0 +---------------------------------------+
///          | word of the side that has connected   |  Bell
///      128 +---------------------------------------+
///          | word of the side that has accepted    |
///      256 +---------------------------------------+
///          | from the former to the latter         |  Ring
///   278912 +---------------------------------------+
///          | from the latter to the former         |  Ring
///   557568 +---------------------------------------+
///          | nothing                               |
///   561152 +---------------------------------------+
/// ```
record Channel(RingWriter out, RingReader in, Bell bell) {
  /// The size: whole pages, and no multiple of a huge one.
  static final long BYTES = (Bell.BYTES + 2 * Ring.BYTES + 4095) & -4096;

  static Channel over(LastingMemory memory, boolean connected) {
    LastingMemory first = memory.slice(Bell.BYTES, Ring.BYTES);
    LastingMemory second = memory.slice(Bell.BYTES + Ring.BYTES, Ring.BYTES);
    return new Channel(
        new RingWriter(connected ? first : second),
        new RingReader(connected ? second : first),
        new Bell(memory.slice(0, Bell.BYTES), connected));
  }
}
