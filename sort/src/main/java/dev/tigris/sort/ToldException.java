package dev.tigris.sort;

/// Carries a [SortException] to another process, where only the name and the message of an
/// exception arrive. The message is its kind, a blank, and its message.
final class ToldException extends Exception {
  private static final long serialVersionUID = 1;

  ToldException(SortException.Kind kind, SortException cause) {
    super(kind + " " + cause.getMessage(), cause);
  }

  /// Returns the exception that such a message carries.
  ///
  /// @param cause what has arrived
  static SortException carried(String message, Throwable cause) {
    int blank = message.indexOf(' ');
    return new SortException(
        SortException.Kind.valueOf(message.substring(0, blank)),
        message.substring(blank + 1),
        cause);
  }
}
