package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Which files this process had open at some time, to tell what was opened since and stays open.
/// Files of earlier tests may be closed meanwhile, by the collector.
record OpenFiles(Set<String> known) {
  private static final Path FOLDER = Path.of("/proc/self/fd");

  static OpenFiles now() throws IOException {
    Set<String> names = new HashSet<>();
    for (String number : FOLDER.toFile().list()) {
      try {
        names.add(number + " " + Files.readSymbolicLink(FOLDER.resolve(number)));
      } catch (NoSuchFileException e) {
        // It is closed again, as the folder itself, or by the collector.
      }
    }
    return new OpenFiles(names);
  }

  int count() {
    return known.size();
  }

  /// The files that were opened since and are still open.
  Set<String> opened() throws IOException {
    Set<String> more = new HashSet<>(now().known);
    more.removeAll(known);
    more.removeIf(file -> file.endsWith(".jar"));
    return more;
  }

  void assertNoMore() throws IOException {
    assertEquals(List.of(), List.copyOf(opened()), "files stay open");
  }
}
