package dev.tigris.memory.schema;

import java.util.List;

/// A table that has grown, as a [Walk] has found it.
///
/// @param offset of the table
/// @param shape of the table
/// @param first how many elements its first part has
/// @param room for how many elements there is room in all parts
/// @param segments the parts behind the first one, in order, at least one
record GrownTable(long offset, int shape, long first, long room, List<Segment> segments) {
  /// A part behind the first one.
  ///
  /// @param offset of the part
  /// @param first the index of its first element
  /// @param capacity for how many elements it has room
  record Segment(long offset, long first, long capacity) {
    /// Returns how many of a table's elements lie in this part.
    long count(long size) {
      return Math.clamp(size - first, 0, capacity);
    }
  }
}
