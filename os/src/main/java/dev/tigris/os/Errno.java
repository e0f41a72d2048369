package dev.tigris.os;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/// The numbers by which functions of the C library say what went wrong.
public final class Errno {
  static final int EINTR = 4;

  /// What users can do something about, in the words of the system and with what to do. Up to 34,
  /// all systems count alike.
  private static final Map<Integer, String> REASONS =
      Map.ofEntries(
          Map.entry(1, "Operation not permitted"),
          Map.entry(2, "No such file or directory"),
          Map.entry(5, "Input/output error"),
          // Also when there are as many mappings as the system allows (vm.max_map_count).
          Map.entry(12, "Cannot allocate memory, or too many mappings"),
          Map.entry(13, "Permission denied"),
          Map.entry(21, "Is a directory"),
          Map.entry(23, "Too many open files in the system: close some, or raise fs.file-max"),
          Map.entry(24, "Too many open files: close some, or raise the limit (ulimit -n)"),
          Map.entry(26, "Text file busy"),
          Map.entry(27, "File too large"),
          Map.entry(28, "No space left on device"),
          Map.entry(30, "Read-only file system"),
          Map.entry(Pages.LINUX ? 122 : 69, "Disk quota exceeded"));

  /// ENOMEM, ENFILE, EMFILE, ENOSPC, and that of quotas: what may pass by itself.
  private static final Set<Integer> SCARCE = Set.of(12, 23, 24, 28, Pages.LINUX ? 122 : 69);

  private Errno() {}

  /// Throws what went wrong, where a [LibraryFunction] has returned an error. Returns what it has
  /// returned otherwise.
  ///
  /// @throws ScarceException if it may pass
  public static long check(long result, String what) throws IOException {
    if (result >= 0) {
      return result;
    }
    int error = (int) -result;
    String message =
        "could not %s: %s".formatted(what, REASONS.getOrDefault(error, "error " + error));
    throw SCARCE.contains(error) ? new ScarceException(message) : new IOException(message);
  }
}
