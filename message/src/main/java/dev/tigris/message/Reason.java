package dev.tigris.message;

import org.jspecify.annotations.Nullable;

/// The reasons for which a message comes back to its sender ([ErrorHandler]).
public enum Reason {
  /// The message was never sent: no handler ran, or will run.
  NOT_DELIVERED(1),
  /// The message was sent, and the peer was lost before it acknowledged: the handler ran once, or
  /// not at all.
  MAY_HAVE_RUN(2),
  /// The peer has no handler of this number.
  NO_HANDLER(3),
  /// The peer takes no transfer of this length, or it does not fit the segment.
  TOO_LONG(4),
  /// The handler threw an exception before it replied.
  HANDLER_FAILED(5);

  private static final Reason[] ALL = values();

  private final int code;

  Reason(int code) {
    this.code = code;
  }

  /// Returns the number of the reason in a message.
  public int code() {
    return code;
  }

  /// Returns the reason of a number; null if there is none.
  public static @Nullable Reason of(long code) {
    return code >= 1 && code <= ALL.length ? ALL[(int) code - 1] : null;
  }
}
