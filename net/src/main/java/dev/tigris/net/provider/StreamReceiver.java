package dev.tigris.net.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The receiving half of a link. What has arrived is read into a buffer and taken from there. What
/// is missing of a long message then is read to where it belongs.
final class StreamReceiver extends FrameReceiver {
  /// How often to read in a row before others get their turn.
  static final int MOST_READS = 16;

  private final StreamBuffers buffers;
  private final ByteStream stream;

  /// What was read and not yet taken; null if that is nothing. After a long message it has no more
  /// than the header and the beginning of another, which is what is likely to come.
  private @Nullable Staging in;

  /// Whether the message that is arriving, or was the last to, is long.
  private boolean isLong;

  private boolean endOfStream;

  StreamReceiver(
      StreamBuffers buffers, ByteStream stream, ReceiveQueue receives, long maximumBytes) {
    super(receives, maximumBytes);
    this.buffers = buffers;
    this.stream = stream;
  }

  /// Reads and takes what has arrived, until a goodbye or for as long as others can wait.
  void read() throws IOException {
    for (int reads = 0; reads < MOST_READS; reads++) {
      take();
      if (saidGoodbye() || endOfStream) {
        return;
      }
      boolean more = isInPlace() ? readBody() : readAhead();
      if (!more && !endOfStream) {
        break;
      }
    }
    take(); // what is left in the buffer afterwards waits for a receive, and not for another read
  }

  private void take() {
    try {
      takeFrames();
    } finally {
      giveBackEmpty();
    }
  }

  /// Whether the stream has ended, and all that came before was taken.
  boolean isOver() {
    return endOfStream && !isWaiting();
  }

  /// Whether there is room for more.
  boolean canRead() {
    return !endOfStream && readAheadRoom() > 0;
  }

  private int readAheadRoom() {
    return readAheadBytes() - (in == null ? 0 : in.bytes().remaining());
  }

  /// Reads into `in`; returns whether there may be more.
  private boolean readAhead() throws IOException {
    int room = readAheadRoom();
    if (room <= 0) {
      return false;
    }
    Staging staging = in == null ? buffers.take() : in;
    ByteBuffer bytes = staging.bytes();
    if (in != null) {
      bytes.compact();
    }
    bytes.limit(bytes.position() + room);
    int n = -1;
    try {
      n = stream.read(bytes);
    } finally {
      in = staging;
      bytes.flip();
      giveBackEmpty();
    }
    endOfStream = n < 0;
    return n == room;
  }

  private void giveBackEmpty() {
    if (in != null && !in.bytes().hasRemaining()) {
      buffers.giveBack(in);
      in = null;
    }
  }

  /// Reads the rest of a message to where it belongs, or the rest of one of its ranges; returns
  /// whether there may be more.
  private boolean readBody() throws IOException {
    ByteBuffer window = Windows.of(filled(), taken(), length());
    int n = stream.read(window);
    endOfStream = n < 0;
    taken(Math.max(0, n));
    return !window.hasRemaining();
  }

  /// Whether the rest of the message that is arriving is read to where it belongs.
  private boolean isInPlace() {
    return stage() == ReceiveStage.FILLING && isLong && Windows.areSafeFor(filled());
  }

  /// How much `in` may hold.
  private int readAheadBytes() {
    return (isLong
            && stage() != ReceiveStage.SKIPPING
            && (stage() != ReceiveStage.FILLING || isInPlace()))
        ? Frame.HEADER_BYTES + StreamSender.BEGINNING_BYTES
        : Staging.BYTES;
  }

  @Override
  protected @Nullable ByteBuffer header() {
    return in == null || in.bytes().remaining() < Frame.HEADER_BYTES ? null : in.bytes();
  }

  @Override
  protected void begun() {
    isLong = length() > StreamSender.SHORT_BYTES;
  }

  @Override
  protected long payload(@Nullable Transfer into, long from, long most) {
    if (in == null) {
      return 0;
    }
    ByteBuffer bytes = in.bytes();
    long count = Math.min(bytes.remaining(), most);
    if (into != null) {
      in.moveTo(into, from, count);
    } else {
      bytes.position(bytes.position() + (int) count);
    }
    return count;
  }

  /// Reads on after the goodbye, and forgets what comes; returns whether the stream has ended.
  boolean discard() throws IOException {
    Staging ignored = in == null ? buffers.take() : in;
    in = ignored;
    int n = 1;
    for (int reads = 0; n > 0 && reads < MOST_READS; reads++) {
      n = stream.discard(ignored.bytes().clear());
    }
    return n < 0;
  }

  /// Gives the buffer back.
  void release() {
    if (in != null) {
      buffers.giveBack(in);
      in = null;
    }
  }
}
