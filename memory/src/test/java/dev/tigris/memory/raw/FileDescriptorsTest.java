package dev.tigris.memory.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

  /// The journal's descriptors are closed behind its back, so that to close it fails.
  @Test
  @EnabledOnOs(OS.LINUX)
  void countsAFileNoMoreThatCouldNotBeClosed() throws IOException {
    Path file = folder.resolve("data");
    long before = Jbuf.use().mappedBytes();
    Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, 3 << 20);
    spoil(file.resolveSibling("data.journal").toRealPath());
    assertThrows(UncheckedIOException.class, jbuf::free);
    assertTrue(Jbuf.use().mappedBytes() <= before);
    Jbuf.map(file, Mapping.DURABLE).free();
  }

  private static void spoil(Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : open.filter(Files::isSymbolicLink).toList()) {
        if (leadsTo(each, file)) {
          FileDescriptors.close(Integer.parseInt(each.getFileName().toString()));
        }
      }
    }
  }

  private static boolean leadsTo(Path descriptor, Path file) {
    try {
      return Files.readSymbolicLink(descriptor).equals(file);
    } catch (IOException e) {
      return false; // closed meanwhile: that of the listing, for one
    }
  }

  private static String refusal(Path file) {
    return String.valueOf(
        assertThrows(IOException.class, () -> FileDescriptors.open(file, true)).getMessage());
  }
}
