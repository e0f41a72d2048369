package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.FaultyDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A disk that fails under a stream from or to a file.
@Timeout(60)
class FileStreamFaultsTest {
  private static final int BYTES = 64 << 10;

  @TempDir Path folder;

  private static String failure(Path from, Path to) throws Exception {
    FlowRun run =
        Flow.named("copy")
            .stage("pass", () -> (in, out) -> out.put(in))
            .feed("pass", FileStream.reading(from, 8192))
            .drain("pass", FileStream.writing(to))
            .build()
            .start();
    return String.valueOf(assertThrows(FlowException.class, run::await).getMessage());
  }

  /// The file, the position and the cause are named, the old file stays, and nothing else does.
  @Test
  void aFailedWriteOrSyncIsToldAndLeavesTheOldFile() throws Exception {
    byte[] old = {1, 2, 3};
    Path from = Files.write(folder.resolve("from"), new byte[BYTES]);
    try (FaultyDisk disk = FaultyDisk.in(folder)) {
      Path to = Files.write(disk.folder().resolve("to"), old);
      disk.faults("write=5");
      String written = failure(from, to);
      assertTrue(written.contains("write file " + to + " at 0: "), written);
      assertTrue(written.contains("Input/output error"), written);
      disk.faults("write=28");
      String full = failure(from, to);
      assertTrue(full.contains("No space left on device"), full);
      disk.faults("fsync=5");
      String synced = failure(from, to);
      assertTrue(synced.contains("write file " + to), synced);
      assertTrue(synced.contains("Input/output error"), synced);
      disk.faults();
      assertArrayEquals(old, Files.readAllBytes(to));
      try (var all = Files.list(disk.folder())) {
        assertEquals(
            1, all.filter(file -> !file.getFileName().toString().equals(".faults")).count());
      }
    }
  }

  @Test
  void aFailedReadIsToldWithItsPosition() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(folder)) {
      Path from = Files.write(disk.folder().resolve("from"), new byte[1 << 20]);
      disk.faults("direct=1", "readfrom=16384"); // not what the page cache has of it
      String read = failure(from, folder.resolve("to"));
      assertTrue(read.contains("read file " + from + " at 16384: "), read);
      assertTrue(read.contains("Input/output error"), read);
    }
  }
}
