package dev.tigris.message.channel;

import org.jspecify.annotations.Nullable;

/// The kinds of frames in a packet, by their codes on the wire.
public enum FrameKind {
  /// A request that fits a packet.
  REQUEST(1),
  /// A reply that fits a packet.
  REPLY(2),
  /// A part of a bulk request, but the last.
  REQUEST_PART(3),
  /// A part of a bulk reply, but the last. It takes a credit, as a request does.
  REPLY_PART(4),
  /// The last part of a bulk request.
  BULK_REQUEST(5),
  /// The last part of a bulk reply.
  BULK_REPLY(6),
  /// A request that comes back, in the place of a reply.
  RETURNED_REQUEST(7),
  /// A reply that comes back. It takes a credit.
  RETURNED_REPLY(8);

  private static final FrameKind[] ALL = values();

  final int code;

  FrameKind(int code) {
    this.code = code;
  }

  /// Returns the kind of a code; null if there is none.
  static @Nullable FrameKind of(int code) {
    return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
  }

  /// Whether it belongs to a bulk transfer, and has the numbers of that.
  public boolean isBulk() {
    return this == REQUEST_PART || this == REPLY_PART || this == BULK_REQUEST || this == BULK_REPLY;
  }

  /// Whether it takes a credit of its sender.
  boolean takesCredit() {
    return switch (this) {
      case REQUEST, REQUEST_PART, REPLY_PART, BULK_REQUEST, RETURNED_REPLY -> true;
      case REPLY, BULK_REPLY, RETURNED_REQUEST -> false;
    };
  }
}
