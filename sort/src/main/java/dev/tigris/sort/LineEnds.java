package dev.tigris.sort;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The sums over files of text that were checked apart, and the order where one ends and the next
/// one begins.
final class LineEnds {
  private final LineOrder order;
  private LineOrder rows;
  private byte @Nullable [] header;
  private byte @Nullable [] last;
  private long lines;
  private long bytes;
  private long duplicates;
  private long unordered;
  private LineCheckJob.@Nullable Disorder first;

  LineEnds(LineOrder order) {
    this.order = order;
    this.rows = order;
  }

  /// Adds the next file.
  void add(String name, LineCheckJob.Ends ends) throws SortException {
    byte[] row = ends.header();
    if (order.isCsv() && row != null) {
      byte[] before = header;
      if (before != null && !LineOrder.isSameHeader(row, before)) {
        throw LineInputs.otherHeader(name);
      }
      header = row;
      rows = order.withHeaderOf(row);
    }
    byte[] begin = ends.first();
    if (begin != null) {
      byte[] end = last;
      if (end != null) {
        note(rows.compare(end, begin), name, begin);
      }
      last = ends.last();
    }
    LineCheckJob.Result result = ends.result();
    lines += result.lines();
    bytes += result.bytes();
    duplicates += result.duplicates();
    unordered += result.unordered();
    LineCheckJob.Disorder inside = result.first();
    if (first == null && inside != null) {
      first = new LineCheckJob.Disorder(name, inside.number(), inside.text());
    }
  }

  private void note(int compared, String name, byte[] line) {
    duplicates += compared == 0 ? 1 : 0;
    if (compared > 0 || (compared == 0 && order.isUnique())) {
      unordered++;
      if (first == null) {
        String text = new String(line, StandardCharsets.UTF_8);
        first = new LineCheckJob.Disorder(name, order.isCsv() ? 2 : 1, text);
      }
    }
  }

  LineCheckJob.Result result(Duration elapsed) {
    return new LineCheckJob.Result(lines, bytes, duplicates, unordered, first, elapsed);
  }
}
