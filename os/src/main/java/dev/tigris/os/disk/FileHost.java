package dev.tigris.os.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;

/// The host that files lie on: this one, or another.
///
/// A file of another host is named `HOST:FOLDER/NAME`, or `HOST:PORT:FOLDER/NAME`. As a [Path] that
/// is a relative one whose first name ends with a colon:
///
/// ```
///   h1:7411:/data/a     the names  h1:7411:  data  a      on h1 it is /data/a
/// ```
///
/// Thread rule: any thread. Each call may wait for the disk or the other host.
public interface FileHost {
  /// Finds other hosts. A module above this one provides it.
  interface Finder {
    /// Returns a host, to which there is a connection.
    ///
    /// @param host `HOST` or `HOST:PORT`
    /// @throws IOException if it cannot be reached, with why
    FileHost find(String host) throws IOException;
  }

  /// Returns whether a path names a file of another host.
  static boolean isElsewhere(Path path) {
    if (path.isAbsolute() || path.getNameCount() < 2) {
      return false;
    }
    String first = path.getName(0).toString();
    return first.length() > 1 && first.endsWith(":");
  }

  /// Returns the host of a file, `HOST` or `HOST:PORT`.
  ///
  /// @param path of another host
  static String hostOf(Path path) {
    String first = path.getName(0).toString();
    return first.substring(0, first.length() - 1);
  }

  /// Returns the path that a file of another host has there.
  ///
  /// @param path of another host
  static Path there(Path path) {
    return Path.of("/").resolve(path.subpath(1, path.getNameCount()));
  }

  /// Returns the host of a file.
  ///
  /// @throws IOException if it cannot be reached, with why
  static FileHost of(Path path) throws IOException {
    if (!isElsewhere(path)) {
      return LocalFiles.HERE;
    }
    Optional<Finder> finder = Found.FINDER;
    if (finder.isEmpty()) {
      throw new IOException(
          path + " is of another host, which module dev.tigris.cluster reaches: add it");
    }
    return finder.get().find(hostOf(path));
  }

  /// Returns whether a folder is there; false also if its host cannot be reached.
  static boolean isFolder(Path folder) {
    try {
      return of(folder).hasFolder(folder);
    } catch (IOException e) {
      return false;
    }
  }

  /// Returns whether a file is there; false also if its host cannot be reached.
  static boolean isFile(Path file) {
    try {
      return of(file).hasFile(file);
    } catch (IOException e) {
      return false;
    }
  }

  /// Looked for when the first file of another host is named.
  final class Found {
    static final Optional<Finder> FINDER = ServiceLoader.load(Finder.class).findFirst();

    private Found() {}
  }

  /// Returns whether a folder is there.
  boolean hasFolder(Path folder) throws IOException;

  /// Returns whether a regular file is there.
  boolean hasFile(Path file) throws IOException;

  /// Returns the one name of a folder that has several.
  ///
  /// @throws IOException if it is not there
  Path real(Path folder) throws IOException;

  /// Returns the bytes of a file.
  ///
  /// @throws IOException also if it has more than so many
  byte[] read(Path file, int most) throws IOException;

  /// Writes a file, which has its name when it is whole and on the disk, and then replaces what had
  /// that name.
  void publish(Path file, byte[] bytes) throws IOException;

  /// Gives a file another name in its folder, in place of what has that name, and returns when that
  /// is on the disk.
  void rename(Path from, Path to) throws IOException;

  /// Returns when the name of a file is on the disk.
  void syncName(Path file) throws IOException;

  /// Deletes a file, if it is there.
  void delete(Path file) throws IOException;

  /// Opens a file of another host.
  ///
  /// @throws UnsupportedOperationException if it is this host, whose files a [DiskQueue] opens
  RemoteFile open(Path file, DiskFile.Mode mode) throws IOException;
}
