package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class PageScanTest {
  private static final int PAGES = 4_000;

  @TempDir private Path folder;

  /// More ranges than one call returns.
  // SAFETY: bounds: the segment has the bytes that were mapped; lifetime: Pages maps for good;
  // thread: the test's alone.
  @Test
  @SuppressWarnings("restricted")
  void findsThePagesThatTheListOfAllHas() throws Exception {
    long bytes = PAGES * FilePages.pageBytes() - 100;
    Path file = Files.write(folder.resolve("file"), new byte[(int) bytes]);
    long address = Pages.map((bytes + Pages.UNIT_BYTES) & -Pages.UNIT_BYTES);
    int descriptor = FileDescriptors.open(file, false);
    FilePages.map(descriptor, address, bytes, false);
    FileDescriptors.close(descriptor);
    MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(bytes);
    Random random = new Random(5);
    for (int i = 0; i < PAGES / 2; i++) {
      long at = random.nextInt(PAGES) * FilePages.pageBytes();
      if (random.nextBoolean()) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
      } else {
        byte _ = memory.get(ValueLayout.JAVA_BYTE, at);
      }
    }
    long[] scanned = PageScan.ownPages(address, bytes);
    assumeTrue(scanned != null, "it needs Linux 6.7");
    assertArrayEquals(FilePages.listedPages(address, bytes), scanned);
  }
}
