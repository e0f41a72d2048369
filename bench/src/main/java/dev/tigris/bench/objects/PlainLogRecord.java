package dev.tigris.bench.objects;

import java.io.Serializable;
import java.util.List;

/// The peer of [LogRecord]: what serialization libraries are given. Public, with public fields and
/// a public constructor, which is what each of them handles fastest.
public final class PlainLogRecord implements Serializable {
  private static final long serialVersionUID = 1;
  private static final List<Level> LEVELS = List.of(Level.values());

  public long timestamp;
  public int latencyMicros;
  public Level level = Level.DEBUG;
  public String path = "";
  public String message = "";

  /// Makes an object with default values; the libraries and the bench call this.
  public PlainLogRecord() {}

  /// The `index`-th of a log. Texts are ASCII, as they mostly are, and which every library decodes
  /// fastest.
  static PlainLogRecord of(int index) {
    PlainLogRecord made = new PlainLogRecord();
    made.timestamp = 1_700_000_000_000L + 7L * index;
    made.latencyMicros = 100 + index * 31 % 5000;
    made.level = LEVELS.get(index * 7 % 13 % 4);
    made.path = path(index % 16);
    made.message = "request " + index + " took its time".substring(0, index % 15);
    return made;
  }

  /// One of sixteen paths, which are of the same length and differ at the end.
  static String path(int index) {
    return "/api/v1/orders/" + (char) ('a' + index);
  }
}
