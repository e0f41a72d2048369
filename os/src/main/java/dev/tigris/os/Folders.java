package dev.tigris.os;

import java.nio.file.Path;

/// Folders, whose entries are on the disk when the folder is.
///
/// Thread rule: any thread. An interrupt does not end a call.
public final class Folders {
  private Folders() {}

  /// Waits until the names of the files in a folder are on the disk.
  ///
  /// Some file systems cannot sync a folder, over a network and in user space: there the names
  /// reach the disk when the server likes. A folder that this user may enter and not read cannot be
  /// opened for that, and then everything of its file system is synced.
  ///
  /// @param within a file in it that this process may read
  /// @return false if the file system cannot do that
  /// @throws SystemException if the disk has failed
  public static boolean sync(Path folder, Path within) throws SystemException {
    if (!Platform.POSIX) {
      return false;
    }
    int descriptor;
    try {
      descriptor = FileDescriptors.open(folder, false);
    } catch (SystemException e) {
      if (e.error() == SystemException.NO_ACCESS) {
        return syncAll(folder, within);
      }
      throw e;
    }
    try {
      FileDescriptors.sync(descriptor);
      return true;
    } catch (SystemException e) {
      return unlessUnsupported(folder, e);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }

  private static boolean syncAll(Path folder, Path within) throws SystemException {
    if (!Platform.LINUX) {
      return false;
    }
    int descriptor;
    try {
      descriptor = FileDescriptors.open(within, false);
    } catch (SystemException e) {
      if (e.error() == SystemException.NO_ACCESS) {
        return false;
      }
      throw e;
    }
    try {
      SystemException.check("force a file system to the disk", Linux.SYNCFS.call(descriptor));
      return true;
    } catch (SystemException e) {
      return unlessUnsupported(folder, e);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }

  private static boolean unlessUnsupported(Path folder, SystemException e) throws SystemException {
    if (e.isUnsupported()) {
      return false;
    }
    throw new SystemException("force the folder " + folder + " to the disk", e.error());
  }

  // SAFETY: bounds, lifetime: it takes no memory; thread: it is thread-safe.
  private static final class Linux {
    static final LibraryFunction SYNCFS = LibraryFunction.ofInt("syncfs");
  }
}
