package dev.tigris.bench.objects;

import com.google.flatbuffers.FlatBufferBuilder;
import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;

/// The peer of [LogRecord] in FlatBuffers: a table of five fields, and a table with a vector of
/// those, over FlatBuffers' own base class, with what its compiler generates for them.
final class FlatLogRecord extends Table {
  FlatLogRecord assign(int position, ByteBuffer buffer) {
    __reset(position, buffer);
    return this;
  }

  long timestamp() {
    int o = __offset(4);
    return o != 0 ? bb.getLong(o + bb_pos) : 0;
  }

  int latencyMicros() {
    int o = __offset(6);
    return o != 0 ? bb.getInt(o + bb_pos) : 0;
  }

  byte level() {
    int o = __offset(8);
    return o != 0 ? bb.get(o + bb_pos) : 0;
  }

  String path() {
    int o = __offset(10);
    return o != 0 ? __string(o + bb_pos) : "";
  }

  String message() {
    int o = __offset(12);
    return o != 0 ? __string(o + bb_pos) : "";
  }

  /// As the generated look-up by key compares, without decoding.
  boolean pathIs(byte[] wanted) {
    return compareStrings(__offset(10, bb.capacity() - bb_pos, bb), wanted, bb) == 0;
  }

  int messageLength() {
    int o = __offset(12);
    return o != 0 ? __vector_len(o) : 0;
  }

  /// The log.
  static final class Log extends Table {
    Log assign(ByteBuffer buffer) {
      __reset(buffer.getInt(buffer.position()) + buffer.position(), buffer);
      return this;
    }

    int length() {
      int o = __offset(4);
      return o != 0 ? __vector_len(o) : 0;
    }

    FlatLogRecord record(FlatLogRecord moved, int index) {
      int o = __offset(4);
      return moved.assign(__indirect(__vector(o) + index * 4), bb);
    }
  }

  static ByteBuffer write(PlainLogRecord[] log) {
    FlatBufferBuilder builder = new FlatBufferBuilder(1 << 20);
    int[] offsets = new int[log.length];
    for (int i = 0; i < log.length; i++) {
      PlainLogRecord from = log[i];
      int path = builder.createString(from.path);
      int message = builder.createString(from.message);
      builder.startTable(5);
      builder.addLong(0, from.timestamp, 0);
      builder.addOffset(4, message, 0);
      builder.addOffset(3, path, 0);
      builder.addInt(1, from.latencyMicros, 0);
      builder.addByte(2, from.level.code, 0);
      offsets[i] = builder.endTable();
    }
    builder.startVector(4, offsets.length, 4);
    for (int i = offsets.length - 1; i >= 0; i--) {
      builder.addOffset(offsets[i]);
    }
    int vector = builder.endVector();
    builder.startTable(1);
    builder.addOffset(0, vector, 0);
    builder.finish(builder.endTable());
    return builder.dataBuffer();
  }
}
