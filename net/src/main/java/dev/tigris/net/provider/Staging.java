package dev.tigris.net.provider;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A buffer of a port for what is too short to be moved by itself; a link has one only while
/// something is in it, so that a thousand idle links have none.
///
/// @param bytes little-endian
/// @param memory all of it
public record Staging(ByteBuffer bytes, MemorySegment memory) {
  /// The size of those that messages arrive in, and of most others.
  public static final int BYTES = 64 * 1024;

  /// A new one, empty.
  public static Staging allocate() {
    return allocate(BYTES);
  }

  /// As above, of another size.
  static Staging allocate(int size) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(size);
    return new Staging(bytes.order(ByteOrder.LITTLE_ENDIAN), MemorySegment.ofBuffer(bytes));
  }

  /// Appends `count` bytes of a message, from byte `from` on.
  public void append(Transfer message, long from, long count) {
    message.copyTo(memory, bytes.position(), from, count);
    bytes.position(bytes.position() + (int) count);
  }

  /// Moves `count` bytes to where byte `from` of a message belongs, and the following.
  public void moveTo(Transfer message, long from, long count) {
    message.copyFrom(memory, bytes.position(), from, count);
    bytes.position(bytes.position() + (int) count);
  }
}
