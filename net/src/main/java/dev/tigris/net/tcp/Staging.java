package dev.tigris.net.tcp;

import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A buffer of a port for what is too short to be moved by itself; a link has one only while
/// something is in it, so that a thousand idle links have none.
///
/// @param bytes little-endian
/// @param memory all of it
public record Staging(ByteBuffer bytes, MemorySegment memory) {
  /// The size.
  public static final int BYTES = 64 * 1024;

  /// A new one, empty.
  public static Staging allocate() {
    ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    return new Staging(bytes.order(ByteOrder.LITTLE_ENDIAN), MemorySegment.ofBuffer(bytes));
  }

  /// Appends bytes `[0, count)` of a message.
  public void append(Transfer message, long count) {
    copy(message, 0, count, true);
  }

  /// Moves `count` bytes to where byte `from` of a message belongs, and the following.
  public void moveTo(Transfer message, long from, long count) {
    copy(message, from, count, false);
  }

  private void copy(Transfer message, long from, long count, boolean here) {
    int at = bytes.position();
    long skip = from;
    long left = count;
    for (int i = 0; left > 0; i++) {
      long size = Math.min(message.length(i) - skip, left);
      if (size > 0) {
        MemorySegment range = message.region(i).segment();
        long offset = message.offset(i) + skip;
        if (here) {
          MemorySegment.copy(range, offset, memory, at, size);
        } else {
          MemorySegment.copy(memory, at, range, offset, size);
        }
        at += (int) size;
        left -= size;
      }
      skip = Math.max(0, skip - message.length(i));
    }
    bytes.position(at);
  }
}
