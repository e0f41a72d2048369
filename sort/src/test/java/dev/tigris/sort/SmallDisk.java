package dev.tigris.sort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/// A file system of a few megabytes, for tests that fill it. Only root may mount one; elsewhere the
/// test is skipped, and says so.
final class SmallDisk implements AutoCloseable {
  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  static SmallDisk mount(Path parent, long bytes) throws IOException {
    return mount(parent, "size=" + bytes);
  }

  static SmallDisk mountReadOnly(Path parent) throws IOException {
    return mount(parent, "size=1m,ro");
  }

  private static SmallDisk mount(Path parent, String options) throws IOException {
    Path folder = Files.createDirectory(parent.resolve("small-disk"));
    return mounted(folder, "mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
  }

  /// Not a disk, but a file in the place of another, as containers have.
  static SmallDisk bind(Path file, Path place) {
    return mounted(place, "mount", "--bind", file.toString(), place.toString());
  }

  private static SmallDisk mounted(Path place, String... command) {
    Assumptions.assumeTrue(run(command) == 0, "skipped: only root can mount something");
    return new SmallDisk(place);
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    run("umount", folder.toString());
  }

  private static int run(String... command) {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .start()
          .onExit()
          .join()
          .exitValue();
    } catch (IOException e) {
      return -1; // no such command
    }
  }
}
