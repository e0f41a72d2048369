package dev.tigris.bench.objects;

/// The severity of a log record.
public enum Level {
  DEBUG(0),
  INFO(1),
  WARN(2),
  ERROR(3);

  /// What FlatBuffers and SBE have in its place.
  final byte code;

  Level(int code) {
    this.code = (byte) code;
  }
}
