package dev.tigris.memory.arrow;

/// The types of values that an [ArrowColumnWriter] writes.
public enum ArrowColumnType {
  /// Text: `string`.
  TEXT,
  /// A whole number: `int64`.
  WHOLE,
  /// A floating point number: `double`.
  REAL,
  /// True or false: `bool`.
  FLAG,
  /// Days since 1970-01-01: `date32`.
  DATE,
  /// Microseconds since 1970-01-01T00:00, without a zone: `timestamp[us]`.
  MICROS,
  /// The same in nanoseconds: `timestamp[ns]`.
  NANOS,
  /// Microseconds since 1970-01-01T00:00Z: `timestamp[us, tz=UTC]`.
  UTC_MICROS,
  /// The same in nanoseconds: `timestamp[ns, tz=UTC]`.
  UTC_NANOS;

  ArrowType arrow() {
    return switch (this) {
      case TEXT -> new ArrowType.Text(ArrowType.Size.SMALL);
      case WHOLE -> new ArrowType.Whole(Long.SIZE, true);
      case REAL -> new ArrowType.Real(Double.SIZE);
      case FLAG -> new ArrowType.Bool();
      case DATE -> new ArrowType.Date(false);
      case MICROS -> new ArrowType.Timestamp(ArrowType.Unit.MICROSECOND, null);
      case NANOS -> new ArrowType.Timestamp(ArrowType.Unit.NANOSECOND, null);
      case UTC_MICROS -> new ArrowType.Timestamp(ArrowType.Unit.MICROSECOND, "UTC");
      case UTC_NANOS -> new ArrowType.Timestamp(ArrowType.Unit.NANOSECOND, "UTC");
    };
  }

  boolean isNumber() {
    return this != TEXT && this != REAL && this != FLAG;
  }
}
