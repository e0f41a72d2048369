package dev.tigris.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// The memory that this process may use: that of the machine, or less if a control group of the
/// process has a limit (cgroups(7)). A container sees its own group as the root of all; a service
/// or a shell with a limit is in one further down, and what holds for a group holds below it.
final class UsableMemory {
  private static final long NO_LIMIT = Long.MAX_VALUE;

  /// Under the root: where the groups of each version are, and the file that has a group's limit.
  private enum Groups {
    V1("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
    V2("sys/fs/cgroup", "memory.max");

    private final String folder;
    private final String limit;

    Groups(String folder, String limit) {
      this.folder = folder;
      this.limit = limit;
    }

    /// The smallest limit of a group and those above it.
    long limit(Path root, String group) {
      Path top = root.resolve(folder);
      long bytes = NO_LIMIT;
      Path at = top.resolve(group).normalize();
      // A group that this process cannot see is called `../..`, or is not there.
      for (Path each = at.startsWith(top) ? at : top; each.startsWith(top); each = parent(each)) {
        bytes = Math.min(bytes, firstNumber(each.resolve(limit), ""));
      }
      return bytes;
    }

    private static Path parent(Path path) {
      return Objects.requireNonNull(path.getParent());
    }
  }

  private UsableMemory() {}

  /// Returns the memory that this process may use.
  static long bytes() {
    long bytes = bytes(Path.of("/"));
    return bytes == NO_LIMIT ? 4 * Runtime.getRuntime().maxMemory() : bytes;
  }

  /// Returns the limit that the files under `root` give; [Long#MAX_VALUE] if they give none.
  static long bytes(Path root) {
    long kilobytes = firstNumber(root.resolve("proc/meminfo"), "MemTotal:");
    long bytes = kilobytes == NO_LIMIT ? NO_LIMIT : kilobytes * 1024;
    String v1 = "";
    String v2 = "";
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] parts = line.split(":", 3); // number, controllers, path
      if (parts.length == 3 && parts[2].startsWith("/")) {
        String group = parts[2].substring(1);
        if (List.of(parts[1].split(",")).contains("memory")) {
          v1 = group;
        } else if (parts[1].isEmpty()) {
          v2 = group;
        }
      }
    }
    bytes = Math.min(bytes, Groups.V1.limit(root, v1));
    return Math.min(bytes, Groups.V2.limit(root, v2));
  }

  /// The number after `prefix` at the beginning of a small file; no limit where there is no such
  /// file or no such number.
  private static long firstNumber(Path file, String prefix) {
    List<String> lines = lines(file);
    if (lines.isEmpty() || !lines.getFirst().startsWith(prefix)) {
      return NO_LIMIT;
    }
    try {
      return Long.parseLong(lines.getFirst().substring(prefix.length()).replace("kB", "").strip());
    } catch (NumberFormatException e) {
      return NO_LIMIT; // "max"
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
