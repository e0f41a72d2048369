package dev.tigris.bench.objects;

import com.google.flatbuffers.Struct;
import java.nio.ByteBuffer;

/// The peer of [Point] in FlatBuffers: a struct of three doubles over FlatBuffers' own base class,
/// with the accessors that its compiler generates when it is asked for mutable ones.
final class FlatPoint extends Struct {
  static final int BYTES = 24;

  FlatPoint assign(int position, ByteBuffer buffer) {
    __reset(position, buffer);
    return this;
  }

  double x() {
    return bb.getDouble(bb_pos);
  }

  double y() {
    return bb.getDouble(bb_pos + 8);
  }

  double z() {
    return bb.getDouble(bb_pos + 16);
  }

  void mutateX(double x) {
    bb.putDouble(bb_pos, x);
  }

  void mutateY(double y) {
    bb.putDouble(bb_pos + 8, y);
  }

  void mutateZ(double z) {
    bb.putDouble(bb_pos + 16, z);
  }
}
