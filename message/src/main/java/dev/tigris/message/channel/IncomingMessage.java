package dev.tigris.message.channel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A message that has arrived, as it lies in its packet: valid until its handler returns. One
/// object serves all messages of a channel.
public final class IncomingMessage {
  private MemorySegment memory = MemorySegment.NULL;
  private long wordsAt;
  private long payloadAt;
  private long payloadBytes;
  private int words;
  private int handler;
  private long reference;
  private @Nullable BulkTarget target;
  private long place;

  IncomingMessage() {}

  /// Stores references only if they change: each store of one costs the collector a fence.
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"})
  void set(
      MemorySegment from,
      long itsWordsAt,
      int itsWords,
      long itsPayloadBytes,
      int itsHandler,
      long itsReference) {
    if (memory != from) {
      memory = from;
    }
    wordsAt = itsWordsAt;
    words = itsWords;
    payloadAt = itsWordsAt + (long) itsWords * Long.BYTES;
    payloadBytes = itsPayloadBytes;
    handler = itsHandler;
    reference = itsReference;
    if (target != null) {
      target = null;
    }
    place = -1;
  }

  void filled(BulkTarget where, long total, long itsPlace) {
    target = where;
    payloadBytes = total;
    place = itsPlace;
  }

  /// Returns the number of the handler.
  public int handler() {
    return handler;
  }

  /// Returns how many words it has.
  public int words() {
    return words;
  }

  /// Returns a word.
  ///
  /// @throws IndexOutOfBoundsException if it has no such word
  public long word(int index) {
    if (index < 0 || index >= words) {
      throw new IndexOutOfBoundsException(
          "word %d: the message has %d words".formatted(index, words));
    }
    return memory.get(PacketLayout.LONG, wordsAt + (long) index * Long.BYTES);
  }

  /// Returns the length of its payload.
  public long payloadBytes() {
    return payloadBytes;
  }

  /// Returns the memory that the payload lies in, from [#payloadAt] on.
  public MemorySegment payload() {
    BulkTarget where = target;
    return where == null ? memory : where.memory();
  }

  /// Returns where the payload begins.
  public long payloadAt() {
    BulkTarget where = target;
    return where == null ? payloadAt : where.at();
  }

  /// Returns where a bulk transfer has gone; null for others.
  public @Nullable BulkTarget target() {
    return target;
  }

  /// Returns the place in the segment; -1 if it is for none.
  public long place() {
    return place;
  }

  /// Returns the number of the request: its own, or the one that it answers.
  public long reference() {
    return reference;
  }
}
