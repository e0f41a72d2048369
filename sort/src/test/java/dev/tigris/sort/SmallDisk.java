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
    int status = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
    Assumptions.assumeTrue(status == 0, "skipped: a small tmpfs can be mounted by root only");
    return new SmallDisk(folder);
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
