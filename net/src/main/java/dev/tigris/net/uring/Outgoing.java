package dev.tigris.net.uring;

import dev.tigris.net.linux.IoUring;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.SendQueue;
import dev.tigris.net.provider.Transfer;
import dev.tigris.net.socket.Staging;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sending half of a link. One operation at a time sends what is posted: headers and short
/// messages are copied into a buffer of the port, longer ones are gathered from their own memory.
///
/// ```text
///   sends         [ framed: the operation in flight | posted ]
///
///   what it names | frames in the buffer | memory of a message | frames in the buffer | ...
/// ```
final class Outgoing {
  /// The longest message that is copied to be sent: the copy costs less than another range.
  static final int COPIED_BYTES = 4096;

  /// How much is put into one operation, as long as that is whole messages: they complete together.
  private static final long MOST_SENT_BYTES = 256 * 1024;

  private final UringPort port;
  private final IoUring ring;
  private final Operations operations;
  private final SendQueue sends;

  /// Of the operation in flight; null if there is none.
  private @Nullable Staging staging;

  /// How many bytes it sends.
  private int bytes;

  /// How many messages it sends.
  private int framed;

  private int sequence;
  private @Nullable String failure;

  Outgoing(UringPort port, Operations operations, SendQueue sends) {
    this.port = port;
    this.ring = port.ring();
    this.operations = operations;
    this.sends = sends;
  }

  /// Whether something is posted that cannot be sent before what is under way was.
  boolean isHeldUp() {
    return operations.isSending() && framed < sends.size();
  }

  /// Frames what is posted, and asks for it to be sent, unless something is under way.
  void send() {
    if (operations.isSending() || failure != null || sends.isEmpty()) {
      return;
    }
    Staging buffer = start();
    ByteBuffer frames = buffer.bytes();
    int copied = 0; // up to here the buffer is named by a range
    long total = 0;
    for (boolean fits = true; fits && framed < sends.size() && total < MOST_SENT_BYTES; ) {
      Transfer next = Objects.requireNonNull(sends.peek(framed));
      boolean copies = next.bytes() <= COPIED_BYTES;
      fits =
          frames.remaining() >= Frame.HEADER_BYTES + (copies ? next.bytes() : 0)
              && ring.rangesLeft() >= 2 + (copies ? 0 : next.count());
      if (fits) {
        Frame.put(frames, next, sequence++);
        if (copies) {
          buffer.append(next, 0, next.bytes());
        } else {
          ring.gather(buffer.memory(), copied, frames.position() - copied);
          copied = frames.position();
          gather(next);
        }
        framed++;
        total += Frame.HEADER_BYTES + next.bytes();
      }
    }
    if (frames.position() > copied) {
      ring.gather(buffer.memory(), copied, frames.position() - copied);
    }
    bytes = Math.toIntExact(total);
    operations.send();
  }

  private void gather(Transfer message) {
    for (int i = 0; i < message.count(); i++) {
      if (message.length(i) > 0) {
        ring.gather(message.region(i).segment(), message.offset(i), message.length(i));
      }
    }
  }

  /// Asks for what ends the stream to be sent; nothing is posted, or under way.
  void sayGoodbye() {
    Staging buffer = start();
    Frame.putGoodbye(buffer.bytes(), sequence++);
    ring.gather(buffer.memory(), 0, Frame.HEADER_BYTES);
    bytes = Frame.HEADER_BYTES;
    operations.send();
  }

  private Staging start() {
    Staging buffer = port.staging();
    staging = buffer;
    ring.startGathering();
    return buffer;
  }

  /// The operation has completed; returns whether it has sent everything, and [#failure] if not.
  boolean completed(int result) {
    port.giveBack(Objects.requireNonNull(staging));
    staging = null;
    if (result == bytes) {
      return true;
    }
    String why = result < 0 ? SystemException.describe(-result) : "a message was cut off";
    failure = "the connection is lost: " + why;
    return false;
  }

  /// Completes the messages of the operation that has sent everything.
  void completeSent() {
    for (; framed > 0; framed--) {
      sends.sent();
    }
  }

  /// Why nothing can be sent any more; null if it can.
  @Nullable String failure() {
    return failure;
  }

  void checkInvariants() {
    if (framed > sends.size()) {
      throw new IllegalStateException("more framed than posted");
    }
    if ((staging != null) != operations.isSending()) {
      throw new IllegalStateException("a buffer is held for nothing that is sent");
    }
  }
}
