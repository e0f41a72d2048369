package dev.tigris.message.channel;

import org.jspecify.annotations.Nullable;

/// The kinds of packets, by their codes on the wire.
enum PacketKind {
  GREETING(1),
  WELCOME(2),
  REFUSAL(3),
  DATA(4),
  ACKNOWLEDGEMENT(5),
  LACK(6),
  FAREWELL(7),
  /// How many pieces of bulk transfers its sender has granted and taken.
  COUNTS(8),
  /// The first message on the interface for bulk transfers.
  BULK_GREETING(9);

  private static final PacketKind[] ALL = values();

  final int code;

  PacketKind(int code) {
    this.code = code;
  }

  /// Returns the kind of a code; null if there is none.
  static @Nullable PacketKind of(int code) {
    return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
  }
}
