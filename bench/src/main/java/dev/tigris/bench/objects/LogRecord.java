package dev.tigris.bench.objects;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;

/// A record of a log, with its text in place. [PlainLogRecord] is its twin on the heap.
final class LogRecord extends Pso {
  static final int PATH_BYTES = 28;
  static final int MESSAGE_BYTES = 64;

  long timestamp;
  int latencyMicros;
  Level level;

  @Capacity(PATH_BYTES)
  Utf8 path;

  @Capacity(MESSAGE_BYTES)
  Utf8 message;

  @SuppressWarnings("NullAway") // texts are always there, and every record is given a level
  LogRecord(Container container) {
    super(container);
  }

  void fill(PlainLogRecord from) {
    timestamp = from.timestamp;
    latencyMicros = from.latencyMicros;
    level = from.level;
    path.set(from.path);
    message.set(from.message);
  }
}
