package dev.tigris.message.call;

/// The handlers of the messages of calls, on both sides.
final class Frames {
  /// Of the server: method, call, time left in ns, window of a stream, a word for each argument.
  static final int CALL = 1;

  /// Of the server: call.
  static final int CANCEL = 2;

  /// Of the client: call, status and whether the method ran, a word for the result.
  static final int REPLY = 3;

  /// Of the client: call, number, length.
  static final int ITEM = 4;

  /// Of the server: call, how many more.
  static final int GRANT = 5;

  /// Of the client: the server finishes what it has.
  static final int LEAVING = 6;

  /// In the status of a reply: the method did not run, and will not.
  static final long NOT_RUN = 0x100;

  /// A payload of up to so many bytes is copied into its packet. A longer one is sent from where it
  /// lies.
  static final int MOST_COPIED = 4 << 10;

  private Frames() {}
}
