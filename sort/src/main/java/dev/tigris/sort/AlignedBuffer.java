package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.nio.ByteBuffer;

/// A buffer that direct I/O accepts: it begins at a block boundary. It is a Jbuf, seen both as
/// bytes (for kernels) and as a byte buffer (for channels).
///
/// Thread rule: one thread at a time.
final class AlignedBuffer implements AutoCloseable {
  /// Direct transfers begin and end at multiples of this, in memory and in the file.
  static final int BLOCK = 4096;

  /// The most that a buffer has room for, since a channel takes no more than an `int` counts: the
  /// largest record, with a header and the rest of its last block.
  static final long MAX_BYTES = (1L << 30) + 2 * BLOCK;

  private final Jbuf jbuf;
  private final long capacity;
  private final Bytes bytes;
  private final ByteBuffer channelView;

  /// A buffer with room for `capacity` bytes and up to a block on either side, since the part of a
  /// file that is wanted seldom begins and ends at a boundary.
  ///
  /// @param capacity up to [#MAX_BYTES]
  AlignedBuffer(long capacity, String owner) {
    this.capacity = roundUp(capacity) + 2 * BLOCK;
    this.jbuf = Jbuf.allocate(this.capacity + BLOCK, owner);
    Bytes whole = jbuf.asBytes();
    ByteBuffer all = whole.byteBuffer();
    int lead = (BLOCK - all.alignmentOffset(0, BLOCK)) % BLOCK;
    this.bytes = whole.slice(lead, this.capacity);
    this.channelView = all.slice(lead, Math.toIntExact(this.capacity));
  }

  static long roundUp(long bytes) {
    return (bytes + BLOCK - 1) & -BLOCK;
  }

  static long roundDown(long bytes) {
    return bytes & -BLOCK;
  }

  /// Returns how many bytes of the memory budget a buffer of this capacity takes.
  static long footprintBytes(long capacity) {
    return Jbuf.footprintBytes(roundUp(capacity) + 3 * BLOCK);
  }

  Bytes bytes() {
    return bytes;
  }

  long capacity() {
    return capacity;
  }

  /// Returns the bytes from `from` to `to`, ready for a channel.
  ByteBuffer window(long from, long to) {
    return channelView.clear().limit((int) to).position((int) from);
  }

  /// Gives the memory back as soon as the collector has seen that no view is left.
  @Override
  public void close() {
    jbuf.unreference(Jbuf::free);
  }
}
