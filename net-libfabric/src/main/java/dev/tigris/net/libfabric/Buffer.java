package dev.tigris.net.libfabric;

import java.lang.foreign.MemorySegment;

/// Memory for a packet.
///
/// @param memory the packet
/// @param whole what travels: the packet, behind the number of its connection where connections
///     share an endpoint
/// @param address where that is
/// @param descriptor what the library calls it; 0 if it need not be registered
/// @param slab which slab of its [Buffers] it is a part of
record Buffer(MemorySegment memory, MemorySegment whole, long address, long descriptor, int slab) {
  static final int BYTES = Packet.HEADER_BYTES + Packet.CONTENT_BYTES;
}
