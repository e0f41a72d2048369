package dev.tigris.memory.arrow;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// The bytes of a message behind its metadata, read where and when they are needed.
///
/// Thread rule: one thread.
sealed interface Body {
  long bytes();

  /// Returns a range that lies in the body.
  byte[] read(long from, int count) throws IOException;

  /// A part of a file.
  record InFile(FileChannel channel, long start, long bytes) implements Body {
    @Override
    public byte[] read(long from, int count) throws IOException {
      byte[] range = new byte[count];
      ByteBuffer buffer = ByteBuffer.wrap(range);
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, start + from + buffer.position()) < 0) {
          throw new EOFException("the file was cut short while it was read");
        }
      }
      return range;
    }
  }

  /// Bytes that came out of a stream.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record InMemory(byte[] all) implements Body {
    @Override
    public long bytes() {
      return all.length;
    }

    @Override
    public byte[] read(long from, int count) {
      int start = Math.toIntExact(from);
      return java.util.Arrays.copyOfRange(all, start, start + count);
    }
  }
}
