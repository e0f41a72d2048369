package dev.tigris.net.uring;

import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.SendQueue;
import dev.tigris.net.provider.Staging;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.Ranges;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sending half of a link. One operation at a time sends what is posted: headers and short
/// messages are copied into a buffer of the port, longer ones are gathered from their own memory.
/// Where links are few in a port, all of that is given to the socket by a call, and the operation
/// sends what the socket has not taken.
///
/// ```text
///   sends         [ framed: the operation in flight | posted ]
///
///   what it names | frames in the buffer | memory of a message | frames in the buffer | ...
/// ```
final class UringSender {
  /// The longest message that is copied to be sent: the copy costs less than another range.
  static final int COPIED_BYTES = 4096;

  /// How much is put into one operation, as long as that is whole messages: they complete together.
  static final int MOST_SENT_BYTES = 256 * 1024;

  /// How much is given to the socket by one call: long messages then leave up to twice as fast.
  private static final int MOST_GIVEN_BYTES = 512 * 1024;

  private final UringPort port;
  private final Operations operations;
  private final TcpSocket socket;
  private final SendQueue sends;

  /// Of the operation in flight; null if there is none.
  private @Nullable Staging staging;

  /// How many bytes it sends.
  private int bytes;

  /// How many messages it sends.
  private int framed;

  private int sequence;
  private @Nullable String failure;

  UringSender(UringPort port, Operations operations, TcpSocket socket, SendQueue sends) {
    this.port = port;
    this.operations = operations;
    this.socket = socket;
    this.sends = sends;
  }

  /// Whether something is posted that cannot be sent before what is under way was.
  boolean isHeldUp() {
    return operations.isSending() && framed < sends.size();
  }

  /// Frames what is posted, and sends it or asks for it to be sent, unless something is under way.
  ///
  /// @throws LostMemoryException if that was to be copied from memory that is gone
  void send() {
    try {
      while (!operations.isSending() && failure == null && !sends.isEmpty()) {
        sendNext();
      }
    } catch (LostMemoryException e) { // before anything of it was handed over
      giveBackBuffer();
      throw e;
    }
  }

  private void sendNext() {
    Staging buffer = start();
    ByteBuffer frames = buffer.bytes();
    Ranges ranges = port.ranges();
    int copied = 0; // up to here the buffer is named by a range
    long total = 0;
    for (boolean fits = true; fits && framed < sends.size() && total < MOST_SENT_BYTES; ) {
      Transfer next = Objects.requireNonNull(sends.peek(framed));
      boolean copies = next.bytes() <= COPIED_BYTES;
      fits =
          frames.remaining() >= Frame.HEADER_BYTES + (copies ? next.bytes() : 0)
              && ranges.left() >= 2 + (copies ? 0 : next.count());
      if (fits) {
        Frame.put(frames, next, sequence++);
        if (copies) {
          buffer.append(next, 0, next.bytes());
        } else {
          ranges.add(buffer.memory(), copied, frames.position() - copied);
          copied = frames.position();
          add(ranges, next);
        }
        framed++;
        total += Frame.HEADER_BYTES + next.bytes();
      }
    }
    if (frames.position() > copied) {
      ranges.add(buffer.memory(), copied, frames.position() - copied);
    }
    bytes = Math.toIntExact(total);
    if (port.areFew()) {
      give(buffer, ranges);
    } else {
      operations.send(ranges);
    }
  }

  private static void add(Ranges ranges, Transfer message) {
    for (int i = 0; i < message.count(); i++) {
      if (message.length(i) > 0) {
        ranges.add(message.region(i).segment(), message.offset(i), message.length(i));
      }
    }
  }

  /// Gives the socket what it takes, and asks for the rest to be sent. If that has failed, so does
  /// the operation.
  private void give(Staging buffer, Ranges ranges) {
    int sent = 0;
    if (ranges.count() == 1) { // all of it was copied
      sent = socket.send(buffer.memory(), bytes);
      ranges.skip(sent);
    } else {
      for (int n = 0, most = 0; n == most && sent < bytes; sent += n) {
        most = Math.min(MOST_GIVEN_BYTES, bytes - sent);
        n = socket.send(ranges, most);
        ranges.skip(n);
      }
    }
    bytes -= sent;
    if (bytes == 0) {
      boolean _ = completed(0);
      completeSent();
    } else {
      operations.send(ranges);
    }
  }

  /// Asks for what ends the stream to be sent; nothing is posted, or under way.
  void sayGoodbye() {
    Staging buffer = start();
    Frame.putGoodbye(buffer.bytes(), sequence++);
    Ranges ranges = port.ranges();
    ranges.add(buffer.memory(), 0, Frame.HEADER_BYTES);
    bytes = Frame.HEADER_BYTES;
    operations.send(ranges);
  }

  private Staging start() {
    Staging buffer = port.framing();
    staging = buffer;
    return buffer;
  }

  private void giveBackBuffer() {
    port.giveBack(Objects.requireNonNull(staging));
    staging = null;
  }

  /// The operation has completed; returns whether it has sent everything, and [#failure] if not.
  boolean completed(int result) {
    giveBackBuffer();
    if (result == bytes) {
      return true;
    }
    String why = result < 0 ? SystemException.describe(-result) : "a message was cut off";
    failure = "the connection is lost: " + why;
    return false;
  }

  /// The operation has not sent everything. Where memory is gone, nothing else will say so: nothing
  /// has happened to the socket.
  ///
  /// @return whether it may have been gone for a while: a file that was cut may grow again
  /// @throws LostMemoryException if it is
  boolean mayHaveLostMemory(int result) {
    if (result == -SystemException.BAD_ADDRESS) {
      throw new LostMemoryException(null);
    }
    boolean maybe = false;
    for (int i = 0; i < framed && result >= 0; i++) { // some was sent, and no error is told of
      Transfer message = Objects.requireNonNull(sends.peek(i));
      message.requireMemory();
      maybe |= message.isMapped();
    }
    return maybe;
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
