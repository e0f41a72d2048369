package dev.tigris.bench;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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

  /// The class path of this process.
  public static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .toList();
  }

  /// Whether the class path has jars alone, as what takes no folders of classes needs.
  public static boolean hasJarsOnly() {
    return classPath().stream().allMatch(entry -> entry.toString().endsWith(".jar"));
  }

  /// The `tigris` command.
  public static Path launcher() {
    return find().resolve("tigris");
  }
}
