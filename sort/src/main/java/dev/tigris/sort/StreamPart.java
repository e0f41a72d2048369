package dev.tigris.sort;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import org.jspecify.annotations.Nullable;

/// A sorter's part of the output that goes into a stream, such as a file of a run.
///
/// Thread rule: as for the stream.
final class StreamPart implements OutputPart {
  private static final int WATER_BYTES = 256 << 10;

  private final Stream stream;
  private @Nullable Water water;
  private int used;

  StreamPart(Stream stream) {
    this.stream = stream;
  }

  @Override
  public void append(byte[] source, int length) {
    append(source, 0, length);
  }

  /// Appends a part of an array.
  void append(byte[] source, int from, int length) {
    for (int at = 0; at < length; ) {
      Water open = water;
      if (open == null) {
        open = stream.spring().createWater(WATER_BYTES);
        water = open;
        used = 0;
      }
      Bytes bytes = open.bytes();
      int some = Math.min(length - at, WATER_BYTES - used);
      bytes.copyFrom(used, source, from + at, some);
      used += some;
      at += some;
      if (used == WATER_BYTES) {
        finish();
      }
    }
  }

  @Override
  public void finish() {
    Water open = water;
    if (open != null) {
      water = null;
      open.setSize(used);
      stream.put(open);
    }
  }
}
