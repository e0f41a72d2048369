package dev.tigris.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;

/// Folders that nobody can delete by their names, not even root: they lie so deep that a path to
/// them is longer than the kernel takes.
final class Undeletable implements AutoCloseable {
  private static final int PATH_MAX = 4096;
  private static final String NAME = "n".repeat(200);

  private final Path home;
  private final Path placed;

  /// @param aside a folder on the same disk, where they are made
  private Undeletable(Path aside, Path folder) throws IOException {
    String half = String.join("/", Collections.nCopies(PATH_MAX / 2 / NAME.length() + 1, NAME));
    this.home = aside.resolve("undeletable");
    this.placed = Files.createDirectories(folder.resolve(half)).resolve("half");
    Files.createDirectories(home.resolve(half));
    Files.move(home, placed);
  }

  /// Makes some in the folder of the run that lives in `place`.
  static Undeletable inRunOf(Path place, Path aside) throws IOException {
    return new Undeletable(aside, runIn(place));
  }

  /// The folder of the run that lives in `place`.
  static Path runIn(Path place) throws IOException {
    try (var files = Files.list(place)) {
      return files.filter(Files::isDirectory).findFirst().orElseThrow();
    }
  }

  /// Makes them deletable, and deletes that half of them which was made aside.
  @Override
  public void close() throws IOException {
    Files.move(placed, home);
    RunFolder.deleteAll(home);
  }
}
