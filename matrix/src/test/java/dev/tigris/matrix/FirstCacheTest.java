package dev.tigris.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The size of the first cache, from the files of Linux.
class FirstCacheTest {
  @TempDir private Path folder;

  private void cache(int index, String type, String level, String size) throws IOException {
    Path cache = Files.createDirectory(folder.resolve("index" + index));
    Files.writeString(cache.resolve("type"), type + "\n");
    Files.writeString(cache.resolve("level"), level + "\n");
    Files.writeString(cache.resolve("size"), size + "\n");
  }

  @Test
  void isThatOfData() throws Exception {
    cache(0, "Instruction", "1", "64K");
    cache(1, "Data", "1", "48K");
    cache(2, "Unified", "2", "2048K");
    assertEquals(48 << 10, FirstCache.bytes(folder));
  }

  @Test
  void isAUsualOneWhereNothingIsTold() throws Exception {
    assertEquals(32 << 10, FirstCache.bytes(folder));
    cache(0, "Data", "1", "much");
    assertEquals(32 << 10, FirstCache.bytes(folder));
  }

  @Test
  void isOfThisHost() {
    int bytes = FirstCache.bytes();
    assertTrue(bytes >= 16 << 10 && bytes <= 256 << 10, bytes + " bytes");
  }
}
