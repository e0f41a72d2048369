package dev.tigris.flow.arrow;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cuts what is written into waters, which go to a stream.
///
/// Thread rule: one thread.
final class Pieces extends OutputStream {
  private static final int WATER_BYTES = 256 << 10;

  /// Where they are put: the stream of the call.
  private @Nullable Stream out;

  private @Nullable Water water;
  private int used;

  /// Refuses a stage of several replicas.
  static void requireOneReplica(ModuleContext context) {
    if (context.replicas() != 1) {
      throw new IllegalStateException(
          "stage %s has %d replicas, which would write as many files into one: give it one"
              .formatted(context.stage(), context.replicas()));
    }
  }

  /// Names the stream that waters are put on from now on.
  void to(Stream stream) {
    out = stream;
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    Objects.checkFromIndexSize(from, length, bytes.length);
    for (int at = 0; at < length; ) {
      Water current = water;
      if (current == null) {
        current = Objects.requireNonNull(out).spring().createWater(WATER_BYTES);
        water = current;
      }
      int count = Math.min(length - at, WATER_BYTES - used);
      current.bytes().copyFrom(used, bytes, from + at, count);
      used += count;
      at += count;
      if (used == WATER_BYTES) {
        putLast();
      }
    }
  }

  /// Puts what was written and not put yet.
  void putLast() {
    Water current = water;
    if (current != null) {
      current.setSize(used);
      water = null;
      used = 0;
      Objects.requireNonNull(out).put(current);
    }
  }
}
