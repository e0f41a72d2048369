package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// How much memory of the host this process had at some time. On Linux.
record Resident(long bytes) {
  static Resident now() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return new Resident(Long.parseLong(line.replaceAll("\\D", "")) << 10);
      }
    }
    throw new IOException("the kernel does not say how much memory this process has");
  }

  void assertGrownByLessThan(long most) throws IOException {
    long now = now().bytes;
    assertTrue(now - bytes < most, "%,d bytes have become %,d".formatted(bytes, now));
  }
}
