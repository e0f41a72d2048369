package dev.tigris.sort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The temporary file of a sorter: lines that it cannot hold, one part after the other.
///
/// Thread rule: its sorter's thread.
final class LineSpill implements AutoCloseable {
  private final OutputFile file;
  private final AlignedBuffer buffer;

  /// Up to here the file is written; the rest is in the buffer, whose byte 0 belongs here.
  private long written;

  private long used;

  /// Makes a new file.
  LineSpill(Path path) throws SortException {
    this.file = new OutputFile(path, 0);
    this.buffer = new AlignedBuffer(LinePlan.BUFFER_BYTES, "sort spill");
  }

  /// Writes what a bucket holds in memory, and releases that. Parts that follow one another and
  /// whose order does not count become one.
  void spill(LineBucket bucket) throws SortException {
    List<LineBucket.Part> parts = new ArrayList<>();
    for (LineBucket.Part part : bucket.parts()) {
      var water = part.water();
      if (water == null) {
        parts.add(part);
        continue;
      }
      long start = end();
      for (long done = 0; done < part.bytes(); ) {
        long length = Math.min(part.bytes() - done, LinePlan.BUFFER_BYTES - used);
        water.bytes().copyTo(part.from() + done, buffer.bytes(), used, length);
        advance(length);
        done += length;
      }
      join(parts, new LineBucket.Part(part.chunk(), null, start, part.bytes()));
    }
    bucket.spilled(parts);
  }

  /// Writes lines, and returns where they are.
  LineBucket.Part append(byte[] text, int from, int length, long chunk) throws SortException {
    long start = end();
    for (int done = 0; done < length; ) {
      int step = (int) Math.min(length - done, LinePlan.BUFFER_BYTES - used);
      buffer.bytes().copyFrom(used, text, from + done, step);
      advance(step);
      done += step;
    }
    return new LineBucket.Part(chunk, null, start, length);
  }

  private static void join(List<LineBucket.Part> parts, LineBucket.Part next) {
    LineBucket.Part last = parts.isEmpty() ? null : parts.getLast();
    if (last != null
        && last.chunk() == next.chunk()
        && last.water() == null
        && last.from() + last.bytes() == next.from()) {
      parts.removeLast();
      parts.add(new LineBucket.Part(last.chunk(), null, last.from(), last.bytes() + next.bytes()));
    } else {
      parts.add(next);
    }
  }

  private void advance(long length) throws SortException {
    used += length;
    if (used == LinePlan.BUFFER_BYTES) {
      file.write(buffer, 0, used, written);
      written += used;
      used = 0;
    }
  }

  /// How many bytes were given to the file.
  long end() {
    return written + used;
  }

  /// Reads from `from` on to an array.
  void read(long from, byte[] target, int at, int length, AlignedBuffer through)
      throws SortException {
    long done = 0;
    while (done < length) {
      long position = from + done;
      if (position >= written) {
        buffer.bytes().copyTo(position - written, target, at + (int) done, length - (int) done);
        return;
      }
      long step = Math.min(Math.min(length - done, LinePlan.BUFFER_BYTES), written - position);
      long lead = position % AlignedBuffer.BLOCK;
      file.read(through, lead, lead + step, position - lead);
      through.bytes().copyTo(lead, target, at + (int) done, (int) step);
      done += step;
    }
  }

  @Override
  public void close() throws SortException {
    try {
      buffer.close();
    } finally {
      file.close();
    }
  }
}
