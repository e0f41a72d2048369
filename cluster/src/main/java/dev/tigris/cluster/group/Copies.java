package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Longs;
import dev.tigris.memory.View;

/// Copies between views of any type and slots. To make a segment of a view takes a microsecond, so
/// short ranges are copied by elements.
final class Copies {
  static final long SHORT_BYTES = 1024;

  private Copies() {}

  /// Copies a range of a view into a slot.
  static void out(View from, long offset, Bytes slot, long at, long bytes) {
    if (from instanceof Bytes its) {
      its.copyTo(offset, slot, at, bytes);
    } else if (bytes > SHORT_BYTES || !outByElements(from, offset, slot, at, bytes)) {
      slot.copyFrom(at, from.segment(), offset, bytes);
    }
  }

  private static boolean outByElements(View from, long offset, Bytes slot, long at, long bytes) {
    switch (from) {
      case Doubles its -> {
        for (long i = 0; i < bytes; i += Double.BYTES) {
          slot.setDouble(at + i, its.get((offset + i) / Double.BYTES));
        }
      }
      case Longs its -> {
        for (long i = 0; i < bytes; i += Long.BYTES) {
          slot.setLong(at + i, its.get((offset + i) / Long.BYTES));
        }
      }
      case Ints its -> {
        for (long i = 0; i < bytes; i += Integer.BYTES) {
          slot.setInt(at + i, its.get((offset + i) / Integer.BYTES));
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /// Copies a range of a slot into a view.
  static void in(Bytes slot, long at, View to, long offset, long bytes) {
    if (to instanceof Bytes its) {
      slot.copyTo(at, its, offset, bytes);
    } else if (bytes > SHORT_BYTES || !inByElements(slot, at, to, offset, bytes)) {
      slot.copyTo(at, to.segment(), offset, bytes);
    }
  }

  private static boolean inByElements(Bytes slot, long at, View to, long offset, long bytes) {
    switch (to) {
      case Doubles its -> {
        for (long i = 0; i < bytes; i += Double.BYTES) {
          its.set((offset + i) / Double.BYTES, slot.getDouble(at + i));
        }
      }
      case Longs its -> {
        for (long i = 0; i < bytes; i += Long.BYTES) {
          its.set((offset + i) / Long.BYTES, slot.getLong(at + i));
        }
      }
      case Ints its -> {
        for (long i = 0; i < bytes; i += Integer.BYTES) {
          its.set((offset + i) / Integer.BYTES, slot.getInt(at + i));
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }
}
