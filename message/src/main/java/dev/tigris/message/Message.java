package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.channel.BulkTarget;
import dev.tigris.message.channel.IncomingMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A message that has arrived, for its handler: up to 16 words, and a payload. It is read where it
/// lies, and valid until the handler returns.
///
/// The peer may be a program that changes a payload while it is read, if both share memory. So read
/// once what a decision depends on.
///
/// One object serves all messages of an endpoint. A handler must not keep it: in a later handler it
/// is another message.
public final class Message {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// The last one: see [Token].
  private @Nullable IncomingMessage incoming;

  private boolean isShown;

  Message() {}

  void show(@Nullable IncomingMessage shown) {
    isShown = shown != null;
    if (shown != null && incoming != shown) {
      incoming = shown;
    }
  }

  /// Refers to no message any more, and so to no memory.
  void forget() {
    incoming = null;
  }

  @Nullable BulkTarget target() {
    return shown().target();
  }

  private IncomingMessage shown() {
    IncomingMessage its = incoming;
    if (its == null || !isShown) {
      throw new IllegalStateException("the handler has returned: copy what you need before that");
    }
    return its;
  }

  /// Returns how many words it has.
  public int words() {
    return shown().words();
  }

  /// Returns a word.
  ///
  /// @throws IndexOutOfBoundsException if it has no such word
  public long word(int index) {
    return shown().word(index);
  }

  /// Returns the length of the payload in bytes.
  public long payloadBytes() {
    return shown().payloadBytes();
  }

  private long within(long offset, long length) {
    return shown().payloadAt() + Objects.checkFromIndexSize(offset, length, payloadBytes());
  }

  /// Reads the byte at an offset of the payload.
  ///
  /// @throws IndexOutOfBoundsException if it is outside
  public byte getByte(long offset) {
    return shown().payload().get(ValueLayout.JAVA_BYTE, within(offset, 1));
  }

  /// Reads the 32-bit integer at an offset of the payload; errors as for [#getByte].
  public int getInt(long offset) {
    return shown().payload().get(INT, within(offset, Integer.BYTES));
  }

  /// Reads the 64-bit integer at an offset of the payload; errors as for [#getByte].
  public long getLong(long offset) {
    return shown().payload().get(LONG, within(offset, Long.BYTES));
  }

  /// Copies a part of the payload to an array.
  ///
  /// @throws IndexOutOfBoundsException if it is outside of either
  public void copyTo(long offset, byte[] target, int index, int length) {
    long at = within(offset, length);
    MemorySegment.copy(shown().payload(), ValueLayout.JAVA_BYTE, at, target, index, length);
  }

  /// Copies a part of the payload to other memory.
  ///
  /// @throws IndexOutOfBoundsException if it is outside of either
  public void copyTo(long offset, MemorySegment target, long targetOffset, long length) {
    MemorySegment.copy(shown().payload(), within(offset, length), target, targetOffset, length);
  }

  /// Copies a part of the payload to a buffer.
  ///
  /// @throws IndexOutOfBoundsException if it is outside of either
  public void copyTo(long offset, Bytes target, long targetOffset, long length) {
    target.copyFrom(targetOffset, shown().payload(), within(offset, length), length);
  }

  /// Returns the memory that the payload lies in, from [#memoryOffset] on: to read it as a whole,
  /// without a copy. Behind the payload lies what belongs to other messages. It is to be read only,
  /// until the handler returns. A handler that writes there damages the messages of this peer that
  /// follow: nothing prevents it.
  public MemorySegment memory() {
    return shown().payload();
  }

  /// Returns where the payload begins in its [#memory].
  public long memoryOffset() {
    return shown().payloadAt();
  }

  /// Returns the payload as an array, which outlives the handler. A bulk transfer that has arrived
  /// in an array of its own is that array; another payload is copied.
  ///
  /// @throws ArithmeticException if an array cannot hold so much
  public byte[] array() {
    BulkTarget target = shown().target();
    byte[] arrived = target == null ? null : target.array();
    if (arrived != null) {
      return arrived;
    }
    byte[] copy = new byte[Math.toIntExact(payloadBytes())];
    copyTo(0, copy, 0, copy.length);
    return copy;
  }

  /// Returns the memory that a bulk transfer has arrived in: a part of the segment
  /// ([Endpoint#segment]), or a buffer that the endpoint was supplied with ([Endpoint#supply]). A
  /// handler may keep such a buffer: the endpoint uses it again when the collector has found that
  /// no view of it is left.
  ///
  /// @return null if the payload has arrived elsewhere: then it is to be copied
  public @Nullable Bytes buffer() {
    BulkTarget target = shown().target();
    Bytes bytes = target == null ? null : target.bytes();
    return bytes == null || target == null || payloadBytes() == 0
        ? null
        : bytes.slice(target.at(), payloadBytes());
  }

  /// Returns the place in the segment where a transfer has arrived; -1 for another message.
  public long place() {
    return shown().place();
  }

  /// Opens the payload as a container. A payload that lies in no buffer of this side's is copied to
  /// one, so that objects stay as they were checked.
  ///
  /// @throws dev.tigris.memory.CorruptContainerException if it is none
  /// @throws IllegalArgumentException if it is shorter than a container's header, or lies in a
  ///     segment at no multiple of eight bytes
  public Container container() {
    Bytes own = buffer();
    if (own != null) {
      return own.asContainer();
    }
    long length = payloadBytes();
    if (length < Container.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "a payload of %d bytes is no container, which has %d at least"
              .formatted(length, Container.HEADER_BYTES));
    }
    Bytes copy = Jbuf.allocate(length, "messages").asBytes();
    copyTo(0, copy.segment(), 0, length);
    return copy.asContainer();
  }
}
