package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What this process had at some time, as Linux counts it.
///
/// @param bytes of the host's memory
/// @param addresses that are taken, in bytes
record ProcessMemory(long bytes, long addresses) {
  static ProcessMemory now() throws IOException {
    String status = Files.readString(Path.of("/proc/self/status"));
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

  void assertGrownByLessThan(long most) throws IOException {
    long now = now().bytes;
    assertTrue(now - bytes < most, "%,d bytes have become %,d".formatted(bytes, now));
  }
}
