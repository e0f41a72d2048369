package dev.tigris.net.provider;

import java.nio.ByteBuffer;
import java.util.Objects;

/// The memory of a region as byte buffers, one for every GiB, since a byte buffer has no more than
/// two, and since making one costs more than the system call that it is for.
final class Windows {
  private static final long WINDOW_BYTES = 1L << 30;

  private final ByteBuffer[] buffers;

  Windows(Region region) {
    this.buffers =
        new ByteBuffer[Math.toIntExact((region.bytes() + WINDOW_BYTES - 1) / WINDOW_BYTES)];
    for (int i = 0; i < buffers.length; i++) {
      long start = i * WINDOW_BYTES;
      long size = Math.min(WINDOW_BYTES, region.bytes() - start);
      buffers[i] = region.segment().asSlice(start, size).asByteBuffer();
    }
  }

  /// Whether a message is moved by them. Others are copied: arrays have no address, and that
  /// a file was cut is noticed by [Transfer] in time, and by TLS too late.
  static boolean areSafeFor(Transfer message) {
    return !message.hasArrays() && !message.isMapped();
  }

  /// Bytes `[from, until)` of a message, of which there is at least one; or the first of them, up
  /// to the end of a range or of a buffer.
  static ByteBuffer of(Transfer message, long from, long until) {
    int i = message.rangeAt(from);
    long skip = from - message.before(i);
    Windows windows = (Windows) Objects.requireNonNull(message.region(i).registration());
    long at = message.offset(i) + skip;
    ByteBuffer buffer = windows.buffers[(int) (at / WINDOW_BYTES)];
    int position = (int) (at % WINDOW_BYTES);
    long size = Math.min(message.length(i) - skip, until - from);
    buffer.limit((int) Math.min(buffer.capacity(), position + size));
    return buffer.position(position);
  }
}
