package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.flow.FlowException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordCountTest {
  @TempDir Path folder;

  @Test
  void countsWords() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "to be, or not to be\n");
    assertEquals(Map.of("be", 2L, "not", 1L, "or", 1L, "to", 2L), WordCount.of(List.of(file), 3));
  }

  @Test
  void countsWordsOfAnyScript() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "élan — Tigris、チグリス川–élan ❤️");
    assertEquals(Map.of("élan", 2L, "Tigris", 1L, "チグリス川", 1L), WordCount.of(List.of(file), 2));
  }

  @Test
  void countsNothingInNoFileAndInAnEmptyOne() throws Exception {
    assertEquals(Map.of(), WordCount.of(List.of(), 2));
    Path empty = Files.createFile(folder.resolve("empty"));
    assertEquals(Map.of(), WordCount.of(List.of(empty), 2));
  }

  @Test
  void countsWordsThatLieAcrossTwoReads() throws Exception {
    int times = 100_000; // of 7 bytes, so that reads of 64 KiB end inside words
    Path file = Files.writeString(folder.resolve("long"), "tigris ".repeat(times));
    assertEquals(Map.of("tigris", (long) times), WordCount.of(List.of(file), 2));
    Path other = Files.writeString(folder.resolve("other"), "チグリス ".repeat(times));
    assertEquals(
        Map.of("tigris", (long) times, "チグリス", (long) times),
        WordCount.of(List.of(file, other), 1));
  }

  @Test
  void countsMoreWordsThanAreHeldAtATime() throws Exception {
    Map<String, Long> expected =
        IntStream.range(0, 100_000).boxed().collect(Collectors.toMap(i -> "word" + i, i -> 2L));
    Path file = Files.writeString(folder.resolve("words"), String.join("\n", expected.keySet()));
    assertEquals(expected, WordCount.of(List.of(file, file), 2));
  }

  @Test
  void saysThatAFileIsMissing() {
    Path missing = folder.resolve("missing");
    assertThrows(FlowException.class, () -> WordCount.of(List.of(missing), 1));
  }
}
