package dev.tigris.sort;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A sorter's buckets of an output that is written bucket after bucket. What comes before the turn
/// of its bucket is compressed and waits on the heap, up to a share of that; then the sorter waits.
///
/// Sorters have their buckets in ascending order, so the one with the least bucket that is not
/// written never waits.
///
/// Thread rule: one thread at a time.
final class TurnPart implements OutputPart {
  private static final int PIECE_BYTES = 256 << 10;
  private static final int MOST_WAITING_BYTES = 4 << 20;

  private final OrderedOutput output;
  private final int mostWaiting;
  private final byte[] piece;
  private int used;
  private final List<byte[]> waiting = new ArrayList<>();
  private int waitingBytes;
  private int bucket;
  private boolean hasTurn;

  /// A part of an output with so many parts.
  TurnPart(OrderedOutput output, int parts) {
    this.output = output;
    long share = Heap.ofProcess().bytes() / 32 / parts;
    this.mostWaiting = (int) Math.min(share, MOST_WAITING_BYTES);
    this.piece = new byte[Math.clamp(share, AlignedBuffer.BLOCK, PIECE_BYTES)];
  }

  /// What is appended from now on belongs to this bucket, until [#end].
  void begin(int number) {
    bucket = number;
    hasTurn = false;
  }

  @Override
  public void append(byte[] source, int length) throws SortException {
    int count;
    for (int at = 0; at < length; at += count) {
      count = Math.min(length - at, piece.length - used);
      System.arraycopy(source, at, piece, used, count);
      used += count;
      if (used == piece.length) {
        emit();
      }
    }
  }

  private void emit() throws SortException {
    byte[] encoded;
    try {
      encoded = output.encode(piece, used);
    } catch (IOException e) {
      throw SortException.writing(output.name(), e);
    }
    int length = output.encodedBytes(encoded, used);
    used = 0;
    if (!hasTurn && waitingBytes + length <= mostWaiting) {
      waiting.add(Arrays.copyOf(encoded, length));
      waitingBytes += length;
      return;
    }
    takeTurn();
    output.write(encoded, 0, length);
  }

  private void takeTurn() throws SortException {
    if (hasTurn) {
      return;
    }
    try {
      output.await(bucket);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SortException(
          SortException.Kind.IO, "the sort was stopped before all was written", e);
    }
    hasTurn = true;
    for (byte[] each : waiting) {
      output.write(each, 0, each.length);
    }
    waiting.clear();
    waitingBytes = 0;
  }

  /// Writes what is left of the bucket, and lets the next one be written.
  void end() throws SortException {
    if (used > 0) {
      emit();
    }
    takeTurn();
    output.done(bucket);
  }

  @Override
  public void finish() {
    // Each bucket has been written at its end.
  }
}
