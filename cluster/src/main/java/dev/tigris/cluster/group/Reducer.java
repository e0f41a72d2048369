package dev.tigris.cluster.group;

import dev.tigris.net.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Combines elements: each of the first range becomes that of the two others. Sums have loops of
/// their own, which the compiler makes vectors of.
final class Reducer {
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// Loops over so many elements count in an `int`, which the compiler does better.
  private static final int RUN = 1 << 20;

  private Reducer() {}

  /// Refuses a type that cannot be combined so.
  static void require(DataType type, Reduction how) {
    boolean isFraction = type == DataType.DOUBLES || type == DataType.FLOATS;
    if (!isFraction && type != DataType.LONGS && type != DataType.INTS) {
      throw new IllegalArgumentException(
          "elements of %s cannot be reduced: take doubles, floats, longs or ints".formatted(type));
    }
    if (isFraction && !how.takesFractions()) {
      throw new IllegalArgumentException("%s is not defined for %s".formatted(how, type));
    }
  }

  /// Combines elements with others, in their place.
  static void combine(
      MemorySegment into,
      long offset,
      MemorySegment other,
      long otherOffset,
      long bytes,
      DataType type,
      Reduction how) {
    combine(into, offset, into, offset, other, otherOffset, bytes, type, how);
  }

  static void combine(
      MemorySegment into,
      long intoOffset,
      MemorySegment first,
      long firstOffset,
      MemorySegment second,
      long secondOffset,
      long bytes,
      DataType type,
      Reduction how) {
    long size = type == DataType.DOUBLES || type == DataType.LONGS ? Long.BYTES : Integer.BYTES;
    for (long at = 0; at < bytes; at += RUN * size) {
      long length = Math.min(RUN * size, bytes - at);
      MemorySegment c = into.asSlice(intoOffset + at, length);
      MemorySegment a = first.asSlice(firstOffset + at, length);
      MemorySegment b = second.asSlice(secondOffset + at, length);
      int count = (int) (length / size);
      switch (type) {
        case DOUBLES -> doubles(c, a, b, count, how);
        case FLOATS -> floats(c, a, b, count, how);
        case LONGS -> longs(c, a, b, count, how);
        case INTS -> ints(c, a, b, count, how);
        default -> throw new IllegalStateException("elements of " + type);
      }
    }
  }

  private static void doubles(
      MemorySegment c, MemorySegment a, MemorySegment b, int count, Reduction how) {
    if (how == Reduction.SUM) {
      for (int i = 0; i < count; i++) {
        c.setAtIndex(DOUBLE, i, a.getAtIndex(DOUBLE, i) + b.getAtIndex(DOUBLE, i));
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      double x = a.getAtIndex(DOUBLE, i);
      double y = b.getAtIndex(DOUBLE, i);
      c.setAtIndex(
          DOUBLE,
          i,
          switch (how) {
            case PRODUCT -> x * y;
            case MINIMUM -> Math.min(x, y);
            case MAXIMUM -> Math.max(x, y);
            default -> throw new IllegalStateException("doubles by " + how);
          });
    }
  }

  private static void floats(
      MemorySegment c, MemorySegment a, MemorySegment b, int count, Reduction how) {
    if (how == Reduction.SUM) {
      for (int i = 0; i < count; i++) {
        c.setAtIndex(FLOAT, i, a.getAtIndex(FLOAT, i) + b.getAtIndex(FLOAT, i));
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      float x = a.getAtIndex(FLOAT, i);
      float y = b.getAtIndex(FLOAT, i);
      c.setAtIndex(
          FLOAT,
          i,
          switch (how) {
            case PRODUCT -> x * y;
            case MINIMUM -> Math.min(x, y);
            case MAXIMUM -> Math.max(x, y);
            default -> throw new IllegalStateException("floats by " + how);
          });
    }
  }

  private static void longs(
      MemorySegment c, MemorySegment a, MemorySegment b, int count, Reduction how) {
    if (how == Reduction.SUM) {
      for (int i = 0; i < count; i++) {
        c.setAtIndex(LONG, i, a.getAtIndex(LONG, i) + b.getAtIndex(LONG, i));
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      long x = a.getAtIndex(LONG, i);
      long y = b.getAtIndex(LONG, i);
      c.setAtIndex(
          LONG,
          i,
          switch (how) {
            case SUM -> x + y;
            case PRODUCT -> x * y;
            case MINIMUM -> Math.min(x, y);
            case MAXIMUM -> Math.max(x, y);
            case AND -> x & y;
            case OR -> x | y;
          });
    }
  }

  private static void ints(
      MemorySegment c, MemorySegment a, MemorySegment b, int count, Reduction how) {
    if (how == Reduction.SUM) {
      for (int i = 0; i < count; i++) {
        c.setAtIndex(INT, i, a.getAtIndex(INT, i) + b.getAtIndex(INT, i));
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      int x = a.getAtIndex(INT, i);
      int y = b.getAtIndex(INT, i);
      c.setAtIndex(
          INT,
          i,
          switch (how) {
            case SUM -> x + y;
            case PRODUCT -> x * y;
            case MINIMUM -> Math.min(x, y);
            case MAXIMUM -> Math.max(x, y);
            case AND -> x & y;
            case OR -> x | y;
          });
    }
  }
}
