package dev.tigris.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rights on a file, for a file that is made beside it and holds its bytes or replaces it.
///
/// Thread rule: any thread.
public final class FilePermissions {
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rwx------");

  private FilePermissions() {}

  /// Attributes for a new file that can never be read by users that cannot read this one: it has
  /// another group until [#copy]. Empty where this file does not exist.
  ///
  /// @throws IOException if they cannot be read
  public static FileAttribute<?>[] of(Path file) throws IOException {
    PosixFileAttributes known = attributes(file);
    if (known == null) {
      return new FileAttribute<?>[0];
    }
    Set<PosixFilePermission> permissions = EnumSet.copyOf(OWNERS);
    permissions.retainAll(known.permissions());
    return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
  }

  /// Gives a file the owner, group, permissions and access control list of another. Where this
  /// process may not give it the group, nobody gets more than both the group and the others had, or
  /// of a list than its owner. Does nothing where one of the files is missing, or cannot have any.
  ///
  /// @throws IOException if they cannot be read or set
  public static void copy(Path from, Path to) throws IOException {
    PosixFileAttributes wanted = attributes(from);
    PosixFileAttributes has = attributes(to);
    if (wanted == null || has == null) {
      return;
    }
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    permissions.addAll(wanted.permissions());
    byte[] list = AccessLists.read(from);
    boolean listed = !Arrays.equals(list, AccessLists.none());
    if (listed) {
      permissions.retainAll(OWNERS); // the rest comes with it
    }
    PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
    if (!has.group().equals(wanted.group())) {
      try {
        view.setGroup(wanted.group());
      } catch (IOException e) {
        restrictToOthers(permissions);
        listed = false;
      }
    }
    if (!listed && !Arrays.equals(AccessLists.read(to), AccessLists.none())) {
      AccessLists.write(to, AccessLists.none()); // the folder has one for all that is made in it
    }
    if (!has.permissions().equals(permissions)) {
      view.setPermissions(permissions);
    }
    if (listed) {
      AccessLists.write(to, list);
    }
    if (!has.owner().equals(wanted.owner())) {
      try {
        view.setOwner(wanted.owner());
      } catch (IOException e) {
        // Only root may; who made the file may read the other one as well.
      }
    }
  }

  /// The file has a group that is not the right one, and the right one's members are others.
  private static void restrictToOthers(Set<PosixFilePermission> permissions) {
    if (!permissions.contains(PosixFilePermission.GROUP_READ)) {
      permissions.remove(PosixFilePermission.OTHERS_READ);
    }
    if (!permissions.contains(PosixFilePermission.GROUP_WRITE)) {
      permissions.remove(PosixFilePermission.OTHERS_WRITE);
    }
    permissions.remove(PosixFilePermission.GROUP_READ);
    permissions.remove(PosixFilePermission.GROUP_WRITE);
  }

  /// Null where a file system has none, or there is no such file.
  private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || Files.notExists(file) ? null : view.readAttributes();
  }
}
