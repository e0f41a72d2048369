package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a job finds out of its input when it opens it.
class InputFileTest {
  private static final int SIZE = 64 << 20;
  private static final int PIECE = 4 << 20;

  /// To look whether a file is cached puts a little of it into the cache.
  @Test
  void doesNotTakeAFileForCachedSinceItLookedBefore(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("records");
    writeAroundTheCache(path);
    assumeTrue(waitsForDisk(path), "skipped: no disk is slower than memory here");
    int waits = 0;
    for (int i = 0; i < 8; i++) {
      if (waitsForDisk(path)) {
        waits++;
      }
    }
    assertTrue(waits >= 5, "jobs of nine that wait for the disk: " + (waits + 1));
  }

  private static boolean waitsForDisk(Path path) throws Exception {
    try (InputFile file = new InputFile(path, 1)) {
      return file.waitsForDisk();
    }
  }

  private static void writeAroundTheCache(Path path) throws Exception {
    try (AlignedBuffer buffer = new AlignedBuffer(PIECE, "test");
        OutputFile file = new OutputFile(path, SIZE)) {
      for (long position = 0; position < SIZE; position += PIECE) {
        file.write(buffer, 0, PIECE, position);
      }
      file.force();
    }
  }
}
