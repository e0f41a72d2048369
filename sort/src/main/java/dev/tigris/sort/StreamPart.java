package dev.tigris.sort;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A sorter's part of the output that goes through a stream into a file of a run. Its failures name
/// the host: another one may have room on its disk.
///
/// Thread rule: as for the stream.
final class StreamPart implements OutputPart {
  private static final int WATER_BYTES = 256 << 10;

  private final Stream stream;
  private final HostFile file;
  private @Nullable Water water;
  private int used;

  /// @param file that the stream writes
  StreamPart(Stream stream, HostFile file) {
    this.stream = stream;
    this.file = file;
  }

  @Override
  public void append(byte[] source, int length) throws SortException {
    append(source, 0, length);
  }

  /// Appends a part of an array.
  void append(byte[] source, int from, int length) throws SortException {
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
  public void finish() throws SortException {
    Water open = water;
    if (open != null) {
      water = null;
      open.setSize(used);
      put(open);
    }
  }

  private void put(Water full) throws SortException {
    try {
      stream.put(full);
    } catch (StreamException e) {
      if (e.getCause() instanceof IOException cause) {
        throw HostTask.on(file.host(), SortException.writing(file.path(), cause));
      }
      throw e;
    }
  }
}
