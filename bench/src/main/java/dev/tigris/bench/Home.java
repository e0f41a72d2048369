package dev.tigris.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/// The checkout that this bench belongs to.
public final class Home {
  private Home() {}

  /// The folder that holds the launcher: the current one or the nearest above it, unless the
  /// property `tigris.home` names it.
  public static Path find() {
    String named = System.getProperty("tigris.home");
    if (named != null) {
      return Path.of(named);
    }
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("pom.xml")) && Files.isDirectory(folder.resolve("memory"))) {
        return folder;
      }
    }
    return start;
  }

  /// The `tigris` command.
  public static Path launcher() {
    return find().resolve("tigris");
  }
}
