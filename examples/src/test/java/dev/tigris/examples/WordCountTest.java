package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.flow.FlowException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordCountTest {
  @TempDir Path folder;

  @Test
  void countsWords() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "to be, or not to be\n");
    assertEquals(Map.of("be", 2L, "not", 1L, "or", 1L, "to", 2L), WordCount.of(file, 3));
  }

  @Test
  void countsNothingInAnEmptyFile() throws Exception {
    assertEquals(Map.of(), WordCount.of(Files.createFile(folder.resolve("empty")), 2));
  }

  @Test
  void countsWordsThatLieAcrossTwoReads() throws Exception {
    int times = 100_000; // of 7 bytes, so that reads of 64 KiB end inside words
    Path file = Files.writeString(folder.resolve("long"), "tigris ".repeat(times));
    assertEquals(Map.of("tigris", (long) times), WordCount.of(file, 2));
  }

  @Test
  void saysThatAFileIsMissing() {
    assertThrows(FlowException.class, () -> WordCount.of(folder.resolve("missing"), 1));
  }
}
