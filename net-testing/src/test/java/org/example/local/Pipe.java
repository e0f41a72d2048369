package org.example.local;

import dev.tigris.net.provider.ByteStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Bytes on their way from one thread to another.
final class Pipe {
  private static final int MOST_BYTES = 1 << 20;

  /// What was written and not read, in a circle.
  private ByteBuffer bytes = ByteBuffer.allocate(1 << 12);

  private long written;
  private long read;

  /// Those that are woken when something changes; null until they are connected.
  private volatile @Nullable LocalPort reader;

  private volatile @Nullable LocalPort writer;

  /// Looked at without the lock, so that a reader that looks again and again does not keep a writer
  /// from it.
  private volatile boolean empty = true;

  private volatile boolean ended;
  private boolean unread;

  /// One end of a connection: a pipe from the peer, and one to it.
  record End(Pipe in, Pipe out) implements ByteStream {
    static End open() {
      return new End(new Pipe(), new Pipe());
    }

    End other() {
      return new End(out, in);
    }

    void attach(LocalPort port) {
      in.reader = port;
      out.writer = port;
    }

    @Override
    public int read(ByteBuffer to) {
      return in.take(to);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      return out.put(from);
    }

    @Override
    public void endOutput() {
      out.end();
    }

    @Override
    public void close(boolean abruptly) {
      out.end();
      in.close();
    }
  }

  private synchronized int put(ByteBuffer from) throws IOException {
    if (unread) {
      throw new IOException("the peer has closed");
    }
    while (written - read + from.remaining() > bytes.capacity() && bytes.capacity() < MOST_BYTES) {
      grow();
    }
    int count = copy(from) + copy(from); // up to the end of the circle, and the rest
    if (count > 0) {
      empty = false;
      wake(reader);
    }
    return count;
  }

  private int copy(ByteBuffer from) {
    int at = (int) (written % bytes.capacity());
    int room = (int) Math.min(bytes.capacity() - at, bytes.capacity() - (written - read));
    int count = Math.min(from.remaining(), room);
    bytes.put(at, from, from.position(), count);
    from.position(from.position() + count);
    written += count;
    return count;
  }

  private void grow() {
    ByteBuffer larger = ByteBuffer.allocate(2 * bytes.capacity());
    int _ = move(larger) + move(larger);
    read = 0;
    written = larger.position();
    bytes = larger.clear();
  }

  private int move(ByteBuffer to) {
    int at = (int) (read % bytes.capacity());
    int count = Math.min(to.remaining(), (int) Math.min(bytes.capacity() - at, written - read));
    to.put(to.position(), bytes, at, count);
    to.position(to.position() + count);
    read += count;
    return count;
  }

  private int take(ByteBuffer to) {
    return empty && !ended ? 0 : takeSome(to);
  }

  private synchronized int takeSome(ByteBuffer to) {
    int count = move(to) + move(to); // up to the end of the circle, and the rest
    empty = read == written;
    if (count > 0) {
      wake(writer);
    }
    return count == 0 && ended ? -1 : count;
  }

  /// Nothing follows.
  private synchronized void end() {
    ended = true;
    wake(reader);
  }

  /// Nothing is read any more.
  private synchronized void close() {
    unread = true;
    wake(writer);
  }

  private static void wake(@Nullable LocalPort port) {
    if (port != null) {
      port.wake();
    }
  }
}
