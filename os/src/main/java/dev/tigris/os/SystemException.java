package dev.tigris.os;

import java.io.IOException;

/// The operating system has refused a call.
public final class SystemException extends IOException {
  private static final long serialVersionUID = 1;

  // Errors that somebody asks for, by their numbers, which are the same on amd64 and aarch64.

  /// Not permitted.
  public static final int FORBIDDEN = 1;

  /// Interrupted by a Unix signal.
  public static final int INTERRUPTED = 4;

  /// Nothing there now, or no room.
  public static final int AGAIN = 11;

  /// No memory, or a limit of it.
  public static final int NO_MEMORY = 12;

  /// Memory that a call was given is not there: of mapped files, some of the file.
  public static final int BAD_ADDRESS = 14;

  /// Something that this kernel does not know.
  public static final int INVALID = 22;

  /// Too many open files of all processes.
  public static final int TOO_MANY_FILES_OF_ALL = 23;

  /// Too many open files.
  public static final int TOO_MANY_FILES = 24;

  /// The peer does not read any more.
  public static final int BROKEN_PIPE = 32;

  /// A system call that this kernel does not know.
  public static final int NO_SUCH_CALL = 38;

  /// Somebody has the address already.
  public static final int ADDRESS_IN_USE = 98;

  /// No address or port of this host will do.
  public static final int ADDRESS_NOT_AVAILABLE = 99;

  /// There is no way to that network.
  public static final int NETWORK_UNREACHABLE = 101;

  /// The peer has broken the connection.
  public static final int CONNECTION_RESET = 104;

  /// No room for what the kernel needs.
  public static final int NO_BUFFERS = 105;

  /// It took too long.
  public static final int TIMED_OUT = 110;

  /// Nobody listens there.
  public static final int CONNECTION_REFUSED = 111;

  /// That host does not answer on its own network.
  public static final int HOST_DOWN = 112;

  /// There is no way to that host.
  public static final int HOST_UNREACHABLE = 113;

  /// It goes on.
  static final int IN_PROGRESS = 115;

  private final int error;

  /// Makes one.
  ///
  /// @param what was to be done
  /// @param error its number
  public SystemException(String what, int error) {
    super("%s: %s (error %d)%s".formatted(what, Calls.describe(error), error, advice(error)));
    this.error = error;
  }

  /// What to do about limits that any call may meet; empty for other errors.
  public static String advice(int error) {
    return switch (error) {
      case TOO_MANY_FILES -> ": close some, or raise the limit (ulimit -n)";
      case TOO_MANY_FILES_OF_ALL -> ": close some, or raise fs.file-max";
      default -> "";
    };
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
