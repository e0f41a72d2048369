package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Transfer;

/// What the endpoints of a route take.
///
/// @param injectBytes the longest packet that the library copies at once
/// @param operationBytes the most bytes of one operation
/// @param ranges how many ranges a packet can be gathered from
/// @param registersMemory whether memory must be registered for what this side does with it
record Limits(long injectBytes, long operationBytes, int ranges, boolean registersMemory) {
  /// A header and the ranges of a message.
  static final int MOST_RANGES = 1 + Transfer.MAXIMUM_RANGES;

  /// @param prefixBytes how many bytes precede a packet
  static Limits of(Route route, int prefixBytes) {
    return new Limits(
        Math.min(Buffer.BYTES, route.injectBytes() - prefixBytes),
        route.operationBytes() < 0 ? Long.MAX_VALUE : route.operationBytes(),
        (int) Math.min(MOST_RANGES, route.ranges()),
        route.registersLocalMemory());
  }
}
