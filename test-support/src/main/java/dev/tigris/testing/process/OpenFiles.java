package dev.tigris.testing.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// The files that this process had open at one time, on Linux. A later look tells which were opened
/// since and stay open. Files of earlier tests may be closed meanwhile, by the collector.
///
/// @param known the number and the target of each
public record OpenFiles(Set<String> known) {
  private static final Path FOLDER = Path.of("/proc/self/fd");

  /// Returns the files that are open now.
  public static OpenFiles now() throws IOException {
    Set<String> names = new HashSet<>();
    for (String number : Objects.requireNonNull(FOLDER.toFile().list(), "there is no /proc")) {
      try {
        names.add(number + " " + Files.readSymbolicLink(FOLDER.resolve(number)));
      } catch (NoSuchFileException e) {
        // It is closed again, as the folder itself, or by the collector.
      }
    }
    return new OpenFiles(names);
  }

  /// Returns how many were open.
  public int count() {
    return known.size();
  }

  /// Returns those that were opened since and are still open, without jars.
  public Set<String> opened() throws IOException {
    Set<String> more = new HashSet<>(now().known);
    more.removeAll(known);
    more.removeIf(file -> file.endsWith(".jar"));
    return more;
  }

  /// Fails if [#opened] returns any.
  public void assertNoMore() throws IOException {
    assertEquals(List.of(), List.copyOf(opened()), "files stay open");
  }
}
