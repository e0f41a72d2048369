package dev.tigris.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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

  /// Tells an output by what a rename keeps. A file system that numbers inodes anew when it is
  /// mounted again keeps size and time.
  ///
  /// @param inode its number in the file system
  /// @param bytes its size
  /// @param modifiedNanos when it was last written
  public record Identity(long inode, long bytes, long modifiedNanos) {
    private static Identity of(Path path) throws IOException {
      Map<String, Object> found =
          Files.readAttributes(path, "unix:ino,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
      return new Identity(
          (Long) Objects.requireNonNull(found.get("ino")),
          (Long) Objects.requireNonNull(found.get("size")),
          ((FileTime) Objects.requireNonNull(found.get("lastModifiedTime")))
              .to(TimeUnit.NANOSECONDS));
    }

    private boolean isThatOf(Identity other) {
      return inode == other.inode || (bytes == other.bytes && modifiedNanos == other.modifiedNanos);
    }

    /// Returns its three numbers, as [#parse] reads them.
    public String text() {
      return "%d %d %d".formatted(inode, bytes, modifiedNanos);
    }

    /// Reads what [#text] has written.
    ///
    /// @throws IllegalArgumentException if it is something else
    public static Identity parse(String text) {
      String[] numbers = text.split(" ", -1);
      if (numbers.length != 3) {
        throw new IllegalArgumentException(
            "'%s' has %d numbers, and not 3".formatted(text, numbers.length));
      }
      return new Identity(
          Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }
  }

  /// Returns what it keeps when it gets its name; null if the file system does not tell.
  ///
  /// @throws NoSuchFileException if nothing is under the temporary name
  public @Nullable Identity identity() throws IOException {
    return identity(temporary);
  }

  private static @Nullable Identity identity(Path path) throws IOException {
    try {
      return Identity.of(path);
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  /// Returns whether what has its name is this output; any output if the identity is null.
  public boolean isNamed(@Nullable Identity known) {
    try {
      Identity found = identity(target);
      return known == null || found == null || known.isThatOf(found);
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
