package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// A sorter's part of a file, written around the page cache where that is possible.
///
/// ```
///   file   ...|------block------|------block------|------block--...
///   buffer    |  from ############################ used |
/// ```
///
/// Byte 0 of the buffer belongs at a block boundary of the file. Whole blocks are written when the
/// buffer is full; the last incomplete one moves to the front.
///
/// Thread rule: one thread at a time.
final class FilePart implements OutputPart {
  private final OutputFile file;
  private final AlignedBuffer buffer;
  private final Bytes bytes;
  private long position;
  private long from;
  private long used;

  /// A part that begins at byte `start` of the file. The buffer must have room for so much as is
  /// appended at a time, and two blocks.
  FilePart(OutputFile file, long start, AlignedBuffer buffer) {
    this.file = file;
    this.buffer = buffer;
    this.bytes = buffer.bytes();
    this.position = AlignedBuffer.roundDown(start);
    this.from = start - position;
    this.used = from;
  }

  @Override
  public void append(byte[] source, int length) throws SortException {
    if (used + length > buffer.capacity()) {
      flush();
    }
    bytes.copyFrom(used, source, 0, length);
    used += length;
  }

  private void flush() throws SortException {
    long last = AlignedBuffer.roundDown(used);
    file.write(buffer, from, last, position);
    bytes.copyTo(last, bytes, 0, used - last);
    position += last;
    used -= last;
    from = 0;
  }

  @Override
  public void finish() throws SortException {
    if (used > from) {
      file.write(buffer, from, used, position);
    }
  }
}
