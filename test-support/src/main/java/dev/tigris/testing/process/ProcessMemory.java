package dev.tigris.testing.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The memory that a process had at one time, as Linux counts it.
///
/// @param bytes of the host's memory
/// @param addresses that are taken, in bytes
public record ProcessMemory(long bytes, long addresses) {
  /// Returns what a process has now.
  public static ProcessMemory of(long pid) throws IOException {
    String status = Files.readString(Path.of("/proc/%d/status".formatted(pid)));
    return new ProcessMemory(bytes(status, "VmRSS:"), bytes(status, "VmSize:"));
  }

  private static long bytes(String status, String name) throws IOException {
    return status
        .lines()
        .filter(line -> line.startsWith(name))
        .findFirst()
        .map(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .orElseThrow(() -> new IOException("the kernel does not say " + name));
  }
}
