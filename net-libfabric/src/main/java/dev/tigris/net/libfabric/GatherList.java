package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Endpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The ranges that the packet which is posted next is gathered from. The library has read them when
/// the call returns, so that one list is enough for a device queue.
final class GatherList {
  private final MemorySegment ranges;
  private final MemorySegment descriptors;

  /// One with room for so many.
  GatherList(Arena arena, int most) {
    this.ranges = arena.allocate((long) most * Endpoint.RANGE_BYTES, Long.BYTES);
    this.descriptors = arena.allocate(ValueLayout.JAVA_LONG, most);
  }

  /// Sets an entry.
  ///
  /// @param descriptor what the device calls the memory; 0 if it need not be registered
  void set(int index, long address, long bytes, long descriptor) {
    Endpoint.range(ranges, index, address, bytes);
    descriptors.setAtIndex(ValueLayout.JAVA_LONG, index, descriptor);
  }

  /// Where it is, for the library.
  long address() {
    return ranges.address();
  }

  /// Where the descriptors are.
  long descriptors() {
    return descriptors.address();
  }
}
