package dev.tigris.testing.host;

import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/// A file system of a few megabytes, for tests that fill it. Only root may mount one: other users'
/// tests are skipped.
public final class SmallDisk implements AutoCloseable {
  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  /// Mounts one in memory, in a folder below `parent`.
  public static SmallDisk inMemory(Path parent, long bytes) throws IOException {
    return tmpfs(parent, "size=" + bytes);
  }

  /// Mounts one to which nothing can be written.
  public static SmallDisk readOnly(Path parent) throws IOException {
    return tmpfs(parent, "size=1m,ro");
  }

  private static SmallDisk tmpfs(Path parent, String options) throws IOException {
    Path folder = Files.createDirectory(parent.resolve("small-disk"));
    return mounted(folder, "mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
  }

  /// Makes a file system of a kind that has a journal and blocks, in a file, and mounts that.
  public static SmallDisk ext4(Path parent, long bytes) throws IOException {
    return inAFile(parent, bytes, "e2fsprogs", "mkfs.ext4", "-q", "-F");
  }

  /// Makes a file system that writes each page to a new place, and has snapshots and quotas.
  public static SmallDisk btrfs(Path parent, long bytes) throws IOException {
    return inAFile(parent, bytes, "btrfs-progs", "mkfs.btrfs", "-q", "--mixed");
  }

  /// Makes a file system whose files may share blocks.
  public static SmallDisk xfs(Path parent, long bytes) throws IOException {
    return inAFile(parent, bytes, "xfsprogs", "mkfs.xfs", "-q", "-m", "reflink=1");
  }

  /// @param packages the Debian packages that have the command
  /// @param command makes a file system in the file that is its last argument
  private static SmallDisk inAFile(Path parent, long bytes, String packages, String... command)
      throws IOException {
    Needs.root("a loop device");
    Needs.program(command[0], packages);
    Path image = parent.resolve("small-disk.image");
    String _ = Command.of("truncate", "-s", Long.toString(bytes), image.toString()).output();
    String _ = Command.of(command).with(image.toString()).output();
    Path folder = Files.createDirectory(parent.resolve("small-disk"));
    return mounted(folder, "mount", "-o", "loop", image.toString(), folder.toString());
  }

  /// Mounts a file in the place of another, as containers do.
  public static SmallDisk bind(Path file, Path place) {
    return mounted(place, "mount", "--bind", file.toString(), place.toString());
  }

  private static SmallDisk mounted(Path place, String... command) {
    Assumptions.assumeTrue(Command.of(command).succeeds(), "only root can mount a file system");
    return new SmallDisk(place);
  }

  /// Returns where it is mounted.
  public Path folder() {
    return folder;
  }

  @Override
  public void close() {
    if (!Command.of("umount", folder.toString()).succeeds()) {
      String _ = Command.of("umount", "--lazy", folder.toString()).output();
    }
  }
}
