package dev.tigris.bench.objects;

import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/// The peer of [Point] in SBE: a flyweight over Agrona's buffer for a composite of three doubles,
/// with the accessors that SBE's compiler generates, those of its encoder and of its decoder in
/// one.
final class SbePoint {
  static final int BYTES = 24;

  private static final ByteOrder BYTE_ORDER = ByteOrder.LITTLE_ENDIAN;

  private int offset;
  private final MutableDirectBuffer buffer;

  SbePoint(MutableDirectBuffer buffer) {
    this.buffer = buffer;
  }

  SbePoint wrap(int offset) {
    this.offset = offset;
    return this;
  }

  double x() {
    return buffer.getDouble(offset, BYTE_ORDER);
  }

  double y() {
    return buffer.getDouble(offset + 8, BYTE_ORDER);
  }

  double z() {
    return buffer.getDouble(offset + 16, BYTE_ORDER);
  }

  SbePoint x(double x) {
    buffer.putDouble(offset, x, BYTE_ORDER);
    return this;
  }

  SbePoint y(double y) {
    buffer.putDouble(offset + 8, y, BYTE_ORDER);
    return this;
  }

  SbePoint z(double z) {
    buffer.putDouble(offset + 16, z, BYTE_ORDER);
    return this;
  }
}
