package dev.tigris.sort;

import java.util.Arrays;

/// Reads the lines that begin in a part of a file, whole ones: it looks for the first beginning,
/// and goes on behind the part until the last line has ended.
///
/// ```
///   file    ... end of a line \n first line \n ... \n last line ........ \n ...
///                   |<--------- the part ---------------->|
///   block                       first line \n ... \n last line ........ \n
/// ```
///
/// The last line of a file need not end; it gets the byte that ends lines here.
///
/// Thread rule: one thread at a time.
final class LineReader implements AutoCloseable {
  private static final int STEP_BYTES = 64 << 10;

  private final RowEnds rows;
  private final int mostBytes;
  private final AlignedBuffer buffer;
  private byte[] block;

  /// Where some lines end.
  private final int[] ends = new int[512];

  private int start;
  private int end;

  /// Reads parts of up to `partBytes`, and lines of up to `mostBytes`.
  LineReader(RowEnds rows, int partBytes, int mostBytes) {
    this.rows = rows;
    this.mostBytes = mostBytes;
    this.buffer = new AlignedBuffer(Math.max(partBytes + 1, STEP_BYTES), "lines");
    this.block = new byte[partBytes + STEP_BYTES];
  }

  /// Reads the lines that begin in a part of a file.
  ///
  /// @throws SortException if a line is too long, or the file cannot be read
  void read(LinePart part) throws SortException {
    InputFile file = part.file();
    start = 0;
    end = 0;
    if (part.isFirst()) {
      append(file, part.from(), part.to());
    } else { // whether a line begins there, the byte before says
      append(file, part.from() - 1, part.to());
      boolean before = rows.isInside(block, 0, 1, part.insideFrom());
      start = rows.find(block, 0, end, before) + 1;
    }
    if (start >= end) { // no line begins here
      start = end;
      return;
    }
    long at = part.to();
    boolean inside = rows.isInside(block, start, end, false);
    while (inside || block[end - 1] != rows.delimiter()) {
      long next = Math.min(file.size(), at + STEP_BYTES);
      if (next == at) {
        if (inside) {
          throw file.endsInQuotes();
        }
        append(rows.delimiter());
        return;
      }
      int known = end;
      append(file, at, next);
      int found = rows.find(block, known, end, inside);
      if (found < end) {
        end = found + 1;
        return;
      }
      inside = rows.isInside(block, known, end, inside);
      if (end - start > mostBytes + (part.to() - part.from())) {
        throw file.tooLong(at, mostBytes);
      }
      at = next;
    }
  }

  private void append(InputFile file, long from, long to) throws SortException {
    int length = Math.toIntExact(to - from);
    makeRoom(length);
    long at = file.read(buffer, from, to);
    buffer.bytes().copyTo(at, block, end, length);
    end += length;
  }

  private void append(byte last) {
    makeRoom(1);
    block[end++] = last;
  }

  private void makeRoom(int length) {
    if (block.length - end < length) {
      block = Arrays.copyOf(block, Math.max(end + length, block.length + block.length / 2));
    }
  }

  /// Hands out the lines that were read, each with the byte that ends it.
  void forEach(LineTaker taker) throws SortException {
    int at = start;
    int found = ends.length;
    while (!rows.quoted() && found > ends.length - Long.BYTES) {
      found = LineScan.findAll(block, at, end, rows.delimiter(), ends, 0);
      for (int i = 0; i < found; i++) {
        taker.take(block, at, ends[i] + 1);
        at = ends[i] + 1;
      }
    }
    int next;
    for (; at < end; at = next) {
      next = rows.find(block, at, end) + 1;
      taker.take(block, at, Math.min(next, end));
    }
  }

  /// Where the lines lie, until the next [#read].
  byte[] block() {
    return block;
  }

  /// Where in the block the first line begins.
  int start() {
    return start;
  }

  /// Where in the block the last one has ended.
  int end() {
    return end;
  }

  @Override
  public void close() {
    buffer.close();
  }
}
