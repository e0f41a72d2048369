package dev.tigris.message.line;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A message that has arrived, as it lies in its packet: valid until its handler returns. One
/// object serves all messages of a line.
public final class Arrival {
  private MemorySegment memory = MemorySegment.NULL;
  private long wordsAt;
  private long payloadAt;
  private long payloadBytes;
  private int words;
  private int handler;
  private long reference;
  private @Nullable Landing landing;
  private long place;

  Arrival() {}

  void set(
      MemorySegment from,
      long itsWordsAt,
      int itsWords,
      long itsPayloadBytes,
      int itsHandler,
      long itsReference) {
    memory = from;
    wordsAt = itsWordsAt;
    words = itsWords;
    payloadAt = itsWordsAt + (long) itsWords * Long.BYTES;
    payloadBytes = itsPayloadBytes;
    handler = itsHandler;
    reference = itsReference;
    if (landing != null) {
      landing = null;
    }
    place = -1;
  }

  void landed(Landing where, long total, long itsPlace) {
    landing = where;
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
    Landing where = landing;
    return where == null ? memory : where.memory();
  }

  /// Returns where the payload begins.
  public long payloadAt() {
    Landing where = landing;
    return where == null ? payloadAt : where.at();
  }

  /// Returns where a bulk transfer has gone; null for others.
  public @Nullable Landing landing() {
    return landing;
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
