package dev.tigris.message;

import dev.tigris.os.UnixSocket;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The folder for what the processes of a user share while they run.
final class RuntimeFolder {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private RuntimeFolder() {}

  /// Returns XDG_RUNTIME_DIR, or else a folder of this user's among the temporary files, which is
  /// made if need be.
  ///
  /// @throws MessageException if neither can be trusted: another user owns it, or may enter it
  static Path find() {
    return find(System.getenv("XDG_RUNTIME_DIR"));
  }

  /// As [#find()].
  ///
  /// @param given the value of XDG_RUNTIME_DIR, which containers set to a folder for all users
  static Path find(@Nullable String given) {
    if (given != null && !given.isEmpty() && isOurs(Path.of(given))) {
      return Path.of(given);
    }
    Path folder = Path.of("/tmp", "tigris-" + UnixSocket.user());
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      // it is checked next
    } catch (IOException e) {
      throw new MessageException("make the folder %s: %s".formatted(folder, e.getMessage()), e);
    }
    return require(folder);
  }

  private static boolean isOurs(Path folder) {
    try {
      Path _ = require(folder);
      return true;
    } catch (MessageException e) {
      return false;
    }
  }

  /// Returns the folder if only this user can enter it.
  static Path require(Path folder) {
    try {
      boolean isOurs =
          Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
              && Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                  .equals(UnixSocket.user());
      Set<PosixFilePermission> permissions =
          Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
      if (!isOurs || !OWNER_ONLY.containsAll(permissions)) {
        throw new MessageException(
            "the folder %s must be a folder of user %d that others cannot enter (chmod 700)"
                .formatted(folder, UnixSocket.user()),
            null);
      }
      return folder;
    } catch (IOException e) {
      throw new MessageException("look at the folder %s: %s".formatted(folder, e.getMessage()), e);
    }
  }
}
