package dev.tigris.sort;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/// Writes arrays to a channel through one buffer outside the heap.
///
/// Thread rule: one thread at a time.
final class ChannelStream extends OutputStream {
  private final WritableByteChannel channel;
  private final AlignedBuffer buffer;
  private final ByteBuffer window;

  ChannelStream(WritableByteChannel channel) {
    this.channel = channel;
    this.buffer = new AlignedBuffer(LinePlan.BUFFER_BYTES, "sort output");
    this.window = buffer.window(0, LinePlan.BUFFER_BYTES);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    int at = from;
    int left = length;
    while (left > 0) {
      if (!window.hasRemaining()) {
        flush();
      }
      int step = Math.min(left, window.remaining());
      window.put(bytes, at, step);
      at += step;
      left -= step;
    }
  }

  @Override
  public void flush() throws IOException {
    window.flip();
    while (window.hasRemaining()) {
      int _ = channel.write(window);
    }
    window.clear().limit(LinePlan.BUFFER_BYTES);
  }

  @Override
  public void close() throws IOException {
    buffer.close();
  }
}
