package dev.tigris.os;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The operating system refuses a call. The message says which, why in the system's words, and what
/// to do.
public class SystemException extends IOException {
  private static final long serialVersionUID = 1;

  // The errors that callers tell apart, by their numbers on Linux, which are the same on amd64 and
  // aarch64. Up to 34, but for AGAIN, macOS has the same numbers.

  /// Not permitted.
  public static final int FORBIDDEN = 1;

  /// Interrupted by a Unix signal.
  public static final int INTERRUPTED = 4;

  /// Nothing there now, or no room. Linux.
  public static final int AGAIN = 11;

  /// No memory, or a limit of it.
  public static final int NO_MEMORY = 12;

  /// The user may not do that.
  public static final int NO_ACCESS = 13;

  /// Memory that a call was given is not there: of mapped files, some of the file.
  public static final int BAD_ADDRESS = 14;

  /// The kind of file, or of file system, has no such operation.
  public static final int NO_SUCH_DEVICE = 19;

  /// An argument that this kernel does not know.
  public static final int INVALID = 22;

  /// Too many open files of all processes.
  public static final int TOO_MANY_FILES_OF_ALL = 23;

  /// Too many open files.
  public static final int TOO_MANY_FILES = 24;

  /// The peer does not read any more.
  public static final int BROKEN_PIPE = 32;

  /// No locks: those of the system are used up, or a server does not give any. Linux.
  public static final int NO_LOCKS = 37;

  /// A system call that this kernel does not know.
  public static final int NO_SUCH_CALL = 38;

  /// The file system does not have this operation. Linux.
  public static final int NOT_SUPPORTED = 95;

  /// Another socket has the address already.
  public static final int ADDRESS_IN_USE = 98;

  /// No address or port of this host is left.
  public static final int ADDRESS_NOT_AVAILABLE = 99;

  /// There is no route to that network.
  public static final int NETWORK_UNREACHABLE = 101;

  /// The peer has broken the connection.
  public static final int CONNECTION_RESET = 104;

  /// No room for what the kernel needs.
  public static final int NO_BUFFERS = 105;

  /// The time for it is over.
  public static final int TIMED_OUT = 110;

  /// No socket listens at that address.
  public static final int CONNECTION_REFUSED = 111;

  /// That host does not answer on its own network.
  public static final int HOST_DOWN = 112;

  /// There is no route to that host.
  public static final int HOST_UNREACHABLE = 113;

  /// The attempt to connect goes on.
  static final int IN_PROGRESS = 115;

  /// No room on the disk.
  public static final int NO_SPACE = 28;
  private static final int QUOTA_EXCEEDED = Platform.LINUX ? 122 : 69;

  /// The errors that may pass by themselves, or when this process gives something back.
  private static final Set<Integer> SCARCE =
      Set.of(NO_MEMORY, TOO_MANY_FILES_OF_ALL, TOO_MANY_FILES, NO_SPACE, QUOTA_EXCEEDED);

  /// What file systems say of a lock or of the sync of a folder that they do not have.
  private static final Set<Integer> UNSUPPORTED =
      Platform.LINUX
          ? Set.of(INVALID, NO_LOCKS, NO_SUCH_CALL, NOT_SUPPORTED)
          : Set.of(INVALID, 45, 77, 78); // ENOTSUP, ENOLCK, ENOSYS of macOS

  /// The system's words.
  private static final Map<Integer, String> WORDS =
      Map.ofEntries(
          Map.entry(FORBIDDEN, "Operation not permitted"),
          Map.entry(2, "No such file or directory"),
          Map.entry(INTERRUPTED, "Interrupted system call"),
          Map.entry(5, "Input/output error"),
          Map.entry(9, "Bad file descriptor"),
          // Also when there are as many mappings as the system allows (vm.max_map_count).
          Map.entry(NO_MEMORY, "Cannot allocate memory, or too many mappings"),
          Map.entry(NO_ACCESS, "Permission denied"),
          Map.entry(BAD_ADDRESS, "Bad address"),
          Map.entry(NO_SUCH_DEVICE, "No such device"),
          Map.entry(20, "Not a directory"),
          Map.entry(21, "Is a directory"),
          Map.entry(INVALID, "Invalid argument"),
          Map.entry(TOO_MANY_FILES_OF_ALL, "Too many open files in the system"),
          Map.entry(TOO_MANY_FILES, "Too many open files"),
          Map.entry(25, "Inappropriate ioctl for device"),
          Map.entry(26, "Text file busy"),
          Map.entry(27, "File too large"),
          Map.entry(NO_SPACE, "No space left on device"),
          Map.entry(29, "Illegal seek"),
          Map.entry(30, "Read-only file system"),
          Map.entry(BROKEN_PIPE, "Broken pipe"),
          Map.entry(QUOTA_EXCEEDED, "Disk quota exceeded"));

  /// The words for numbers that other systems use otherwise.
  private static final Map<Integer, String> WORDS_OF_LINUX =
      Map.ofEntries(
          Map.entry(AGAIN, "Resource temporarily unavailable"),
          Map.entry(36, "File name too long"),
          Map.entry(NO_LOCKS, "No locks available"),
          Map.entry(NO_SUCH_CALL, "Function not implemented"),
          Map.entry(40, "Too many levels of symbolic links"),
          Map.entry(90, "Message too long"),
          Map.entry(75, "Value too large for defined data type"),
          Map.entry(NOT_SUPPORTED, "Operation not supported"),
          Map.entry(97, "Address family not supported by protocol"),
          Map.entry(ADDRESS_IN_USE, "Address already in use"),
          Map.entry(ADDRESS_NOT_AVAILABLE, "Cannot assign requested address"),
          Map.entry(100, "Network is down"),
          Map.entry(NETWORK_UNREACHABLE, "Network is unreachable"),
          Map.entry(103, "Software caused connection abort"),
          Map.entry(CONNECTION_RESET, "Connection reset by peer"),
          Map.entry(NO_BUFFERS, "No buffer space available"),
          Map.entry(107, "Transport endpoint is not connected"),
          Map.entry(108, "Cannot send after transport endpoint shutdown"),
          Map.entry(TIMED_OUT, "Connection timed out"),
          Map.entry(116, "Stale file handle"),
          Map.entry(121, "Remote I/O error"),
          Map.entry(CONNECTION_REFUSED, "Connection refused"),
          Map.entry(HOST_DOWN, "Host is down"),
          Map.entry(HOST_UNREACHABLE, "No route to host"),
          Map.entry(IN_PROGRESS, "Operation now in progress"),
          Map.entry(125, "Operation canceled"));

  private final int error;

  /// Makes one.
  ///
  /// @param what could not be done: the message begins with "could not" and this
  /// @param error its number
  public SystemException(String what, int error) {
    this("could not %s: %s%s".formatted(what, describe(error), advice(error)), error, null);
  }

  /// Makes one for something that this process does not accept.
  SystemException(String message) {
    this(message, INVALID, null);
  }

  SystemException(String message, int error, @Nullable Throwable cause) {
    super(message, cause);
    this.error = error;
  }

  /// Returns what a call has returned, unless that is an error.
  ///
  /// @param what is done, to follow "could not"
  /// @throws ScarceException if the error may pass by itself
  /// @throws SystemException if it is another error
  public static long check(String what, long result) throws SystemException {
    if (result >= 0) {
      return result;
    }
    int error = (int) -result;
    throw SCARCE.contains(error)
        ? new ScarceException(what, error)
        : new SystemException(what, error);
  }

  /// Returns the words for an error.
  public static String describe(int error) {
    String words = WORDS.get(error);
    if (words == null && Platform.LINUX) {
      words = WORDS_OF_LINUX.get(error);
    }
    return words == null ? "error " + error : words;
  }

  /// Returns what to do about a limit that any call may meet; empty for other errors.
  public static String advice(int error) {
    return switch (error) {
      case TOO_MANY_FILES -> ": close some, or raise the limit (ulimit -n)";
      case TOO_MANY_FILES_OF_ALL -> ": close some, or raise fs.file-max";
      default -> "";
    };
  }

  /// Whether the file system does not have the operation, in one of the ways to say so: the
  /// operation cannot succeed there, and has done nothing.
  public boolean isUnsupported() {
    return UNSUPPORTED.contains(error);
  }

  /// Whether the disk has no room, or a quota does not allow more of it.
  public boolean isForWantOfRoom() {
    return error == NO_SPACE || error == QUOTA_EXCEEDED;
  }

  /// The number of the error.
  public int error() {
    return error;
  }
}
