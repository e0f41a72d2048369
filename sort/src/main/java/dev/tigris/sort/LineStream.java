package dev.tigris.sort;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// The lines of an input, read one after the other from its beginning. The line before the one at
/// hand stays where it can be looked at.
///
/// ```
///   block    ... | line before \n | line at hand \n | what was read of the next ones ...
///                ^ beforeStart    ^ start           ^ end                          filled ^
/// ```
///
/// The last line need not end; it gets the byte that ends lines here.
///
/// Thread rule: one thread at a time.
final class LineStream implements Closeable {
  private final SortInput input;
  private final RowEnds rows;
  private final int mostBytes;
  private final InputStream source;
  private byte[] block;
  private int beforeStart;
  private int start;
  private int end;
  private int filled;
  private long number;
  private long bytes;
  private boolean hasEnded;

  /// Opens an input.
  ///
  /// @param bufferBytes how much to read at a time
  /// @param mostBytes how long a line may be
  LineStream(SortInput input, RowEnds rows, int bufferBytes, int mostBytes) throws SortException {
    this.input = input;
    this.rows = rows;
    this.mostBytes = mostBytes;
    this.block = new byte[bufferBytes + 1];
    this.source = input.openStream();
  }

  /// Goes to the next line; returns false if there is none.
  boolean next() throws SortException {
    beforeStart = start;
    start = end;
    int next = rows.find(block, start, filled);
    int at = start;
    boolean isInside = false;
    while (next == filled && !hasEnded) {
      isInside = rows.isInside(block, at, filled, isInside);
      int known = filled - start;
      read();
      at = start + known;
      next = rows.find(block, at, filled, isInside);
    }
    if (next == filled) {
      if (start == filled) { // the line at hand stays
        end = start;
        start = beforeStart;
        return false;
      }
      if (rows.isInside(block, start, filled, false)) {
        throw InputFile.endsInQuotes(input.toString());
      }
      block[filled++] = rows.delimiter(); // for which there is always room
    }
    end = next + 1;
    number++;
    return true;
  }

  private void read() throws SortException {
    if (filled - start > mostBytes) {
      throw new SortException(
          SortException.Kind.MEMORY,
          ("line %d of %s has more than %d bytes. Give Java a larger heap (-Xmx): a line may have"
                  + " 1/32 of it")
              .formatted(number + 1, input, mostBytes));
    }
    if (filled == block.length - 1) {
      int kept = filled - beforeStart;
      byte[] target = kept > block.length / 2 ? new byte[2 * block.length] : block;
      System.arraycopy(block, beforeStart, target, 0, kept);
      block = target;
      start -= beforeStart;
      beforeStart = 0;
      filled = kept;
    }
    int count = input.readSome(source, block, filled, block.length - 1 - filled);
    hasEnded = count < 0;
    filled += Math.max(0, count);
    bytes += Math.max(0, count);
  }

  /// Where the lines lie, until [#next].
  byte[] block() {
    return block;
  }

  /// Where the line at hand begins.
  int start() {
    return start;
  }

  /// Where it has ended, with its delimiter.
  int end() {
    return end;
  }

  /// Where the line before begins, which ends where the one at hand begins.
  int beforeStart() {
    return beforeStart;
  }

  /// The number of the line at hand, from 1.
  long number() {
    return number;
  }

  /// How many bytes were read.
  long bytes() {
    return bytes;
  }

  /// A copy of the line at hand without its delimiter.
  byte[] line() {
    return Arrays.copyOfRange(block, start, end - 1);
  }

  /// What messages call the input.
  String name() {
    return input.toString();
  }

  @Override
  public void close() throws SortException {
    try {
      source.close();
    } catch (IOException e) {
      throw new SortException(
          SortException.Kind.IO, "%s cannot be closed: %s".formatted(input, e.getMessage()), e);
    }
  }
}
