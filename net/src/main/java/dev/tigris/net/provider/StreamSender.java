package dev.tigris.net.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sending half of a link. Short messages are gathered in a buffer, so that one system call
/// sends many of them; of a long one only the beginning is, with its header, and the rest is
/// written from its own memory.
///
/// ```text
///   sends      [ written to the socket | framed, in the buffer or `body` | posted ]
///                                      ^ completed up to here
///
///   the buffer | written | frame | ... | header and beginning of `body` |   then its rest
/// ```
///
/// The more one call writes, the fuller are the packets that the kernel makes of it.
///
/// A call that takes several buffers would save one per long message, and allocate: the JDK makes
/// an object for each buffer that stems from a memory segment.
///
/// Conserved: bytes framed = bytes written + in the buffer + the rest of `body`.
final class StreamSender {
  /// The longest message that is copied: the copy costs less than another system call would.
  static final int SHORT_BYTES = 32 * 1024;

  /// How much of a longer message is: so that its header does not travel alone.
  static final int BEGINNING_BYTES = 4096;

  /// The size of the buffer: eight of the longest messages that are copied. Half as much is slower
  /// where many are posted at once, and twice as much no faster.
  static final int STAGED_BYTES = 8 * (Frame.HEADER_BYTES + SHORT_BYTES);

  private final StreamBuffers buffers;
  private final ByteStream stream;
  private final SendQueue sends;

  /// For writing into; null if there is nothing in it.
  private @Nullable Staging staging;

  /// How much of what is in it was written.
  private int stagedWritten;

  private @Nullable Transfer body;
  private long bodyFramed;
  private int framed;
  private int sequence;
  private long framedBytes;
  private long writtenBytes;

  StreamSender(StreamBuffers buffers, ByteStream stream, SendQueue sends) {
    this.buffers = buffers;
    this.stream = stream;
    this.sends = sends;
  }

  /// Whether something waits for the socket.
  boolean isPending() {
    return staging != null || body != null || framed < sends.size() || stream.isPending();
  }

  /// Writes what the socket takes; returns how many of the sends are complete now.
  int write() throws IOException {
    stream.flush();
    boolean more = true;
    while (more) {
      frame();
      more =
          (staging != null || body != null)
              && (staging == null || writeFrames(staging))
              && (body == null || writeBody(body));
    }
    if (stream.isPending()) {
      return 0; // what was encrypted last is not sent yet, and the next call may come late
    }
    int complete = 0;
    while (framed > 0 && Objects.requireNonNull(sends.peek(complete)).progress() <= writtenBytes) {
      framed--;
      complete++;
    }
    return complete;
  }

  /// Appends what ends the stream; all sends are complete.
  void sayGoodbye() {
    Staging buffer = staging == null ? buffers.takeToSend() : staging;
    staging = buffer;
    Frame.putGoodbye(buffer.bytes(), sequence++);
    framedBytes += Frame.HEADER_BYTES;
  }

  /// Frames short messages, up to and with the beginning of a long one.
  private void frame() {
    while (body == null && framed < sends.size()) {
      Transfer next = Objects.requireNonNull(sends.peek(framed));
      boolean isShort = next.bytes() <= SHORT_BYTES;
      long copied = isShort ? next.bytes() : BEGINNING_BYTES;
      Staging buffer = staging == null ? buffers.takeToSend() : staging;
      staging = buffer;
      if (buffer.bytes().remaining() < Frame.HEADER_BYTES + copied) {
        return;
      }
      Frame.put(buffer.bytes(), next, sequence++);
      buffer.append(next, 0, copied);
      framed++;
      framedBytes += Frame.HEADER_BYTES + next.bytes();
      next.progress(framedBytes);
      if (!isShort) {
        body = next;
        bodyFramed = copied;
      }
    }
  }

  /// Returns whether all of it was written.
  private boolean writeFrames(Staging buffer) throws IOException {
    ByteBuffer bytes = buffer.bytes();
    int end = bytes.position();
    bytes.flip().position(stagedWritten);
    try {
      int n = stream.write(bytes);
      stagedWritten += n;
      writtenBytes += n;
    } finally {
      bytes.clear().position(end);
    }
    if (stagedWritten < end) {
      return false;
    }
    release();
    return true;
  }

  /// Writes the rest of a message, or of one of its ranges; returns whether that was written.
  private boolean writeBody(Transfer message) throws IOException {
    if (!Windows.areSafeFor(message)) {
      return writeCopy(message);
    }
    ByteBuffer window = Windows.of(message, bodyFramed, message.bytes());
    int n = stream.write(window);
    writtenBytes += n;
    bodyFramed += n;
    if (bodyFramed == message.bytes()) {
      body = null;
    }
    return !window.hasRemaining();
  }

  /// As [#writeBody], through the buffer, which is empty.
  private boolean writeCopy(Transfer message) throws IOException {
    Staging buffer = buffers.takeToSend();
    staging = buffer;
    long size = Math.min(message.bytes() - bodyFramed, STAGED_BYTES);
    buffer.append(message, bodyFramed, size);
    bodyFramed += size;
    if (bodyFramed == message.bytes()) {
      body = null;
    }
    return writeFrames(buffer);
  }

  /// Gives the buffer back.
  void release() {
    if (staging != null) {
      buffers.giveBackToSend(staging);
      staging = null;
      stagedWritten = 0;
    }
  }

  void checkInvariants() {
    long rest = body == null ? 0 : body.bytes() - bodyFramed;
    long staged = staging == null ? 0 : staging.bytes().position() - stagedWritten;
    if (framedBytes != writtenBytes + staged + rest) {
      throw new IllegalStateException(
          "%d bytes framed, and %d written, %d in the buffer, %d to follow"
              .formatted(framedBytes, writtenBytes, staged, rest));
    }
    if (framed > sends.size()) {
      throw new IllegalStateException("more framed than posted");
    }
  }
}
