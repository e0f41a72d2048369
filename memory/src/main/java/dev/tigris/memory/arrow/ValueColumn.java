package dev.tigris.memory.arrow;

import dev.tigris.memory.Bytes;
import java.util.List;

/// A column that is being made of values, one by one, any of which may be null. It keeps its
/// buffers from batch to batch.
///
/// Thread rule: one thread.
final class ValueColumn {
  private final Field field;
  private final ArrowColumnType type;
  private final Growing data = new Growing();
  private final Growing ends = new Growing();
  private final Bits flags = new Bits();
  private final Bits valid = new Bits();
  private int nulls;

  ValueColumn(ArrowColumn column) {
    this.field = new Field(column.name(), column.type().arrow(), true, null, List.of());
    this.type = column.type();
    clear();
  }

  Field field() {
    return field;
  }

  ArrowColumnType type() {
    return type;
  }

  int textBytes() {
    return data.length();
  }

  void nothing() {
    switch (type) {
      case TEXT -> ends.addInt(data.length());
      case FLAG -> flags.add(false);
      case DATE -> data.addInt(0);
      default -> data.addLong(0);
    }
    valid.add(false);
    nulls++;
  }

  /// Adds a text; returns false, and adds none, if it is not UTF-8.
  boolean text(byte[] bytes, int from, int length) {
    data.add(bytes, from, length);
    return endText(length);
  }

  /// Adds a text from a view.
  boolean text(Bytes bytes, long from, int length) {
    int at = data.take(length);
    bytes.copyTo(from, data.bytes(), at, length);
    return endText(length);
  }

  private boolean endText(int length) {
    int end = data.length();
    byte[] all = data.bytes();
    if (!Utf8Check.isAscii(all, end - length, end) && !Utf8Check.isUtf8(all, end - length, end)) {
      data.cut(end - length);
      return false;
    }
    ends.addInt(end);
    valid.add(true);
    return true;
  }

  void number(long value) {
    if (type == ArrowColumnType.DATE) {
      data.addInt(Math.toIntExact(value));
    } else {
      data.addLong(value);
    }
    valid.add(true);
  }

  void flag(boolean value) {
    flags.add(value);
    valid.add(true);
  }

  void addTo(Batch batch) {
    batch.node(valid.count(), nulls);
    if (nulls == 0) {
      batch.noNulls();
    } else {
      valid.addTo(batch);
    }
    if (type == ArrowColumnType.FLAG) {
      flags.addTo(batch);
      return;
    }
    if (type == ArrowColumnType.TEXT) {
      batch.buffer(ends.bytes(), ends.length());
    }
    batch.buffer(data.bytes(), data.length());
  }

  void clear() {
    data.clear();
    ends.clear();
    flags.clear();
    valid.clear();
    nulls = 0;
    if (type == ArrowColumnType.TEXT) {
      ends.addInt(0);
    }
  }
}
