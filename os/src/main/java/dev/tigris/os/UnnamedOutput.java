package dev.tigris.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A file or folder that is written under a temporary name beside its place, and gets its name when
/// all of it is there.
///
/// ```
///   written --prepare--> prepared --publish, until it succeeds--> named
///      |                    |
///      +-----discard--------+
/// ```
///
/// Thread rule: any thread. An interrupt does not end a call.
///
/// @param temporary where it is written; an absolute path
/// @param target where it belongs, in the folder of the temporary name
public record UnnamedOutput(Path temporary, Path target) {
  /// Syncs the folders of an output whose data is on the disk: after a crash of the machine it is
  /// found under its temporary name.
  public void prepare() throws IOException {
    if (Files.isDirectory(temporary, LinkOption.NOFOLLOW_LINKS)) {
      for (Path folder : inside()) {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
          boolean _ = Folders.sync(folder, folder);
        }
      }
    }
    boolean _ = Folders.sync(folder(), temporary);
  }

  /// Gives the output its name, and replaces a file that has it. A failure deletes nothing, and the
  /// call can be repeated while [#isUnnamed].
  ///
  /// @param sync whether it returns when the name is on the disk
  /// @throws NoSuchFileException if nothing is under the temporary name
  public void publish(boolean sync) throws IOException {
    try {
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
    }
    if (sync) {
      syncName();
    }
  }

  /// Returns when the name of an output that has it is on the disk.
  public void syncName() throws IOException {
    boolean _ = Folders.sync(folder(), target);
  }

  /// Returns what the file system calls it, whatever its name is; null if it has no word for that.
  ///
  /// @throws NoSuchFileException if nothing is under the temporary name
  public @Nullable Object key() throws IOException {
    return Files.readAttributes(temporary, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /// Returns whether what has its name is the output with this key; any output if the key is null.
  public boolean isNamed(@Nullable Object key) {
    try {
      Object found =
          Files.readAttributes(target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .fileKey();
      return key == null || key.equals(found);
    } catch (IOException e) {
      return false;
    }
  }

  /// Returns whether it has its temporary name.
  public boolean isUnnamed() {
    return Files.exists(temporary, LinkOption.NOFOLLOW_LINKS);
  }

  /// Deletes what is under the temporary name, if anything is.
  public void discard() throws IOException {
    if (!isUnnamed()) {
      return;
    }
    for (Path each : inside()) {
      Files.deleteIfExists(each);
    }
  }

  private Path folder() throws IOException {
    Path folder = temporary.getParent();
    if (folder == null) {
      throw new IOException(temporary + " is in no folder");
    }
    return folder;
  }

  /// Returns it and all that is in it, what is in a folder before the folder.
  private List<Path> inside() throws IOException {
    try (Stream<Path> found = Files.walk(temporary)) {
      return found.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
