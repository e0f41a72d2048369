package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.message.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where a bulk transfer goes at its receiver: a new array, a buffer that the receiver has
/// supplied, a place in its segment, or nowhere.
public final class BulkTarget {
  private final byte @Nullable [] array;
  private final @Nullable Bytes bytes;
  private final @Nullable MemorySegment segment;
  private final long at;
  private final @Nullable Reason refusal;
  private final Runnable done;
  private @Nullable Object attachment;
  private long total = -1;

  private BulkTarget(
      byte @Nullable [] array,
      @Nullable Bytes bytes,
      long at,
      @Nullable Reason refusal,
      Runnable done) {
    this.array = array;
    this.bytes = bytes;
    this.segment = bytes == null ? null : bytes.segment();
    this.at = at;
    this.refusal = refusal;
    this.done = done;
  }

  /// A new array.
  public static BulkTarget array(int length) {
    return new BulkTarget(new byte[length], null, 0, null, () -> {});
  }

  /// A part of a buffer.
  ///
  /// @param done is run once, after the handler, or when the rest will not come
  public static BulkTarget bytes(Bytes bytes, long at, Runnable done) {
    return new BulkTarget(null, bytes, at, null, done);
  }

  /// Attaches whatever the receiver wants to find there.
  public BulkTarget attach(Object attached) {
    attachment = attached;
    return this;
  }

  /// Returns what was attached; null if nothing was.
  public @Nullable Object attachment() {
    return attachment;
  }

  /// Nowhere: the message comes back with this reason.
  public static BulkTarget nowhere(Reason refusal) {
    return new BulkTarget(null, null, 0, refusal, () -> {});
  }

  /// Returns why it goes nowhere; null if it does not.
  public @Nullable Reason refusal() {
    return refusal;
  }

  /// Returns the array; null if it is none.
  public byte @Nullable [] array() {
    return array;
  }

  /// Returns the buffer; null if it is none.
  public @Nullable Bytes bytes() {
    return bytes;
  }

  /// Returns where it begins in the buffer.
  public long at() {
    return at;
  }

  /// Returns the memory that it lies in, from [#at] on.
  public MemorySegment memory() {
    return array != null ? MemorySegment.ofArray(array) : Objects.requireNonNull(segment);
  }

  void put(long begin, MemorySegment from, long fromAt, int length) {
    if (array != null) {
      MemorySegment.copy(
          from, ValueLayout.JAVA_BYTE, fromAt, array, Math.toIntExact(begin), length);
    } else if (segment != null) {
      MemorySegment.copy(from, fromAt, segment, at + begin, length);
    }
  }

  /// The length of the whole.
  long total() {
    return total;
  }

  void total(long bytes) {
    total = bytes;
  }

  void done() {
    done.run();
  }
}
