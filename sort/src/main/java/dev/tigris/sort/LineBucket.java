package dev.tigris.sort;

import dev.tigris.flow.Water;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The lines of one bucket: in waters that its sorter holds, and in its temporary file.
///
/// Thread rule: its sorter's thread.
final class LineBucket {
  /// Lines that lie together, of one chunk of the input where their order counts.
  ///
  /// @param chunk the number of the chunk
  /// @param water where they lie; null for the temporary file
  /// @param from where in the water, or in the file
  /// @param bytes how many bytes they have
  record Part(long chunk, @Nullable Water water, long from, long bytes) {}

  private final List<Part> parts = new ArrayList<>();
  private final List<Water> waters = new ArrayList<>();
  private long heldBytes;
  private long textBytes;

  /// Takes the lines of a water, which its sorter keeps.
  void add(Water water) {
    var bytes = water.bytes();
    long text = bytes.getLong(LineSource.TEXT_BYTES);
    int marks = bytes.getInt(LineSource.MARKS);
    if (marks == 0) {
      parts.add(new Part(0, water, LineSource.HEADER_BYTES, text));
    }
    long firstMark = LineSource.HEADER_BYTES + text;
    for (int i = 0; i < marks; i++) {
      long mark = firstMark + (long) LineSource.MARK_BYTES * i;
      long from = bytes.getLong(mark + Long.BYTES);
      long to = i + 1 < marks ? bytes.getLong(mark + LineSource.MARK_BYTES + Long.BYTES) : text;
      parts.add(new Part(bytes.getLong(mark), water, LineSource.HEADER_BYTES + from, to - from));
    }
    waters.add(water);
    heldBytes += water.footprintBytes();
    textBytes += text;
  }

  /// Takes lines that were written to the temporary file.
  void add(Part spilled) {
    parts.add(spilled);
    textBytes += spilled.bytes();
  }

  /// The lines in the order of the input, as far as that counts.
  List<Part> parts() {
    parts.sort(Comparator.comparingLong(Part::chunk));
    return parts;
  }

  /// Replaces the parts, all of which are in the temporary file now, and gives the waters back.
  void spilled(List<Part> written) {
    parts.clear();
    parts.addAll(written);
    releaseWaters();
  }

  /// How much memory the waters take.
  long heldBytes() {
    return heldBytes;
  }

  /// How many bytes all lines have.
  long textBytes() {
    return textBytes;
  }

  /// Forgets all lines.
  void release() {
    parts.clear();
    textBytes = 0;
    releaseWaters();
  }

  private void releaseWaters() {
    for (Water water : waters) {
      water.release();
    }
    waters.clear();
    heldBytes = 0;
  }
}
