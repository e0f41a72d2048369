package dev.tigris.sort;

import java.io.OutputStream;

/// Writes to a part of a file, from a place on, while others write to theirs.
///
/// Thread rule: one thread at a time.
final class PlacedStream extends OutputStream {
  private static final int STEP_BYTES = LinePlan.BUFFER_BYTES / 2;

  private final AlignedBuffer buffer;
  private final FilePart part;
  private final byte[] step = new byte[STEP_BYTES];
  private int used;

  /// Writes from byte `start` on.
  PlacedStream(OutputFile file, long start) {
    this.buffer = new AlignedBuffer(LinePlan.BUFFER_BYTES, "sort output");
    this.part = new FilePart(file, start, buffer);
  }

  @Override
  public void write(int b) throws SortException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws SortException {
    int count;
    for (int at = from; at < from + length; at += count) {
      count = Math.min(from + length - at, STEP_BYTES - used);
      System.arraycopy(bytes, at, step, used, count);
      used += count;
      if (used == STEP_BYTES) {
        append();
      }
    }
  }

  private void append() throws SortException {
    part.append(step, used);
    used = 0;
  }

  /// Writes what is left, and nothing may follow.
  void finish() throws SortException {
    append();
    part.finish();
  }

  @Override
  public void close() {
    buffer.close();
  }
}
