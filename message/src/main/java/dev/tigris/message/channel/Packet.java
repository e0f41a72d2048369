package dev.tigris.message.channel;

import org.jspecify.annotations.Nullable;

/// A packet in a [SendQueue]: where its bytes lie, and what follows them from elsewhere.
final class Packet {
  /// The place of this object among those of its queue.
  final int index;

  /// Where it begins in the queue, and its length with the header, without the tail.
  int offset;

  int length;

  /// The bytes of the queue that it takes, with what was left out before it.
  int span;

  /// Whether nothing more fits.
  boolean isClosed;

  /// The number that it was sent with.
  long number;

  /// Whether it has a number.
  boolean isNumbered;

  /// The transfer that it has a part of; null if it has none.
  @Nullable BulkSend tail;

  long tailOffset;
  int tailBytes;

  /// Whether the connection has it: then its bytes must stay as they are.
  boolean isPosted;

  Packet(int index) {
    this.index = index;
  }

  void open(int at, int header, int skipped) {
    offset = at;
    length = header;
    span = skipped;
    isClosed = false;
    isNumbered = false;
    if (tail != null) {
      tail = null;
    }
    tailOffset = 0;
    tailBytes = 0;
    isPosted = false;
  }
}
