package dev.tigris.net.linux;

import java.io.IOException;

/// The operating system has refused a call.
public final class SystemException extends IOException {
  private static final long serialVersionUID = 1;

  // Errors that somebody asks for, by their numbers, which are the same on amd64 and aarch64.

  /// Interrupted by a Unix signal.
  public static final int INTERRUPTED = 4;

  /// Nothing there now, or no room.
  public static final int AGAIN = 11;

  /// Somebody has the address already.
  public static final int ADDRESS_IN_USE = 98;

  /// Nobody listens there.
  public static final int CONNECTION_REFUSED = 111;

  private static final int INVALID = 22;

  private final int error;

  /// Makes one.
  ///
  /// @param what was to be done
  /// @param error its number
  public SystemException(String what, int error) {
    super("%s: %s (error %d)".formatted(what, Calls.describe(error), error));
    this.error = error;
  }

  /// One for something that this process does not accept.
  SystemException(String what) {
    super(what);
    this.error = INVALID;
  }

  /// Returns what a call has returned, unless that is an error.
  public static int check(String what, int result) throws SystemException {
    if (result < 0) {
      throw new SystemException(what, -result);
    }
    return result;
  }

  /// What an error is called.
  public static String describe(int error) {
    return Calls.describe(error);
  }

  /// The number of the error.
  public int error() {
    return error;
  }
}
