package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDescriptorsTest {
  @TempDir private Path folder;

  @Test
  void saysInWordsWhyTheSystemRefuses() {
    Path nowhere = folder.resolve("nowhere");
    assertEquals("could not open %s: Is a directory".formatted(folder), refusal(folder));
    assertEquals(
        "could not open %s: No such file or directory".formatted(nowhere), refusal(nowhere));
  }

  private static String refusal(Path file) {
    return String.valueOf(
        assertThrows(IOException.class, () -> FileDescriptors.open(file, true)).getMessage());
  }
}
