package dev.tigris.message.channel;

import org.jspecify.annotations.Nullable;

/// The kinds of frames in a packet, by their codes on the wire.
public enum FrameKind {
  /// A request that fits a packet.
  REQUEST(1, false, true),
  /// A reply that fits a packet.
  REPLY(2, false, false),
  /// A part of a bulk request, but the last.
  REQUEST_PART(3, true, true),
  /// A part of a bulk reply, but the last. It takes a credit, as a request does.
  REPLY_PART(4, true, true),
  /// The last part of a bulk request.
  BULK_REQUEST(5, true, true),
  /// The last part of a bulk reply.
  BULK_REPLY(6, true, false),
  /// A request that comes back, in the place of a reply.
  RETURNED_REQUEST(7, false, false),
  /// A reply that comes back. It takes a credit.
  RETURNED_REPLY(8, false, true),
  /// A bulk request that goes over the interface for bulk transfers.
  OFFERED_REQUEST(9, true, true),
  /// Such a bulk reply.
  OFFERED_REPLY(10, true, false),
  /// A request of words alone, with a head of half the length.
  REQUEST_WORDS(11, false, true),
  /// A reply of words alone.
  REPLY_WORDS(12, false, false);

  private static final FrameKind[] ALL = values();

  final int code;
  private final boolean isBulk;
  private final boolean takesCredit;

  FrameKind(int code, boolean isBulk, boolean takesCredit) {
    this.code = code;
    this.isBulk = isBulk;
    this.takesCredit = takesCredit;
  }

  /// Returns the kind of a code; null if there is none.
  static @Nullable FrameKind of(int code) {
    return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
  }

  /// Whether it belongs to a bulk transfer, and has the numbers of that.
  public boolean isBulk() {
    return isBulk;
  }

  /// Whether it has a part of a bulk transfer, and not only the offer of one.
  boolean isPart() {
    return isBulk && this != OFFERED_REQUEST && this != OFFERED_REPLY;
  }

  /// Whether it ends a message of the program.
  boolean isMessage() {
    return switch (this) {
      case REQUEST, REPLY, BULK_REQUEST, BULK_REPLY, REQUEST_WORDS, REPLY_WORDS -> true;
      default -> false;
    };
  }

  /// Whether it is such a message, and a reply.
  boolean isReply() {
    return this == REPLY || this == BULK_REPLY || this == REPLY_WORDS;
  }

  /// Whether it has words alone.
  boolean isWords() {
    return this == REQUEST_WORDS || this == REPLY_WORDS;
  }

  /// Whether it takes a credit of its sender.
  boolean takesCredit() {
    return takesCredit;
  }
}
