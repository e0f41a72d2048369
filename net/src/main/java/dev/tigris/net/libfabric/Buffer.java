package dev.tigris.net.libfabric;

import java.lang.foreign.MemorySegment;

/// Memory for a packet.
///
/// @param memory what it is
/// @param address where it is
/// @param descriptor what the library calls it; 0 if it need not be registered
record Buffer(MemorySegment memory, long address, long descriptor) {
  static final int BYTES = Packet.HEADER_BYTES + Packet.CONTENT_BYTES;
}
