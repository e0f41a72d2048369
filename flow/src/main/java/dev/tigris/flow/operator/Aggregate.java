package dev.tigris.flow.operator;

import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;

/// One number that [GroupBy] keeps for each key, in a long.
///
/// @param column what it is made from; empty for a count
/// @param scale digits behind the point; -1 for floating-point numbers
/// @param name its column in what comes out
record Aggregate(Kind kind, String column, int scale, String name) {
  enum Kind {
    COUNT,
    SUM,
    LEAST,
    GREATEST
  }

  static final int REAL = -1;

  /// Returns what a row is worth: of a stage that reads groups, what they are worth already.
  long value(Rows rows, int field) {
    if (field < 0) {
      return 1;
    }
    return scale == REAL
        ? Double.doubleToRawLongBits(rows.real(field))
        : rows.decimal(field, scale);
  }

  /// Returns both together.
  long merged(long left, long right) {
    if (scale == REAL) {
      double a = Double.longBitsToDouble(left);
      double b = Double.longBitsToDouble(right);
      double both =
          switch (kind) {
            case COUNT, SUM -> a + b;
            case LEAST -> Math.min(a, b);
            case GREATEST -> Math.max(a, b);
          };
      return Double.doubleToRawLongBits(both);
    }
    return switch (kind) {
      case COUNT, SUM -> added(left, right);
      case LEAST -> Math.min(left, right);
      case GREATEST -> Math.max(left, right);
    };
  }

  private long added(long left, long right) {
    long sum = left + right;
    if (((left ^ sum) & (right ^ sum)) < 0) {
      throw new ArithmeticException(
          "%s needs more than 64 bits: sum up with sumOfReals(\"%s\"), or with fewer digits behind the point"
              .formatted(name, column));
    }
    return sum;
  }

  void write(long value, RowWriter to) {
    if (scale == REAL) {
      to.real(Double.longBitsToDouble(value));
    } else {
      to.decimal(value, scale);
    }
  }
}
