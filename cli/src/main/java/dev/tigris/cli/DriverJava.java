package dev.tigris.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// Finds the Java for a driver of Spark. It has to be recent enough for our classes, and whole: a
/// release of Tigris has a Java of its own that lacks modules which Spark needs.
final class DriverJava {
  private static final int LEAST = 25;

  /// Spark's own scripts and Hadoop's logins need these. A JDK has them.
  private static final List<String> NEEDED =
      List.of("java.se", "jdk.incubator.vector", "jdk.security.auth");

  private DriverJava() {}

  /// Returns the folder of a Java.
  ///
  /// @param named by the user, who may have meant other programs; null if none is
  /// @param own runs this process
  /// @throws CommandException if none will do
  static Path of(@Nullable String named, Path own) throws CommandException {
    if (named != null && isFit(Path.of(named))) {
      return Path.of(named);
    }
    if (isFit(own)) {
      return own;
    }
    throw new CommandException(
        ExitCode.USAGE,
        "Spark's driver needs a JDK %d, and JAVA_HOME is %s: let it name one"
            .formatted(LEAST, named == null ? "not set" : "'" + named + "', which is none"));
  }

  private static boolean isFit(Path home) {
    Properties release = new Properties();
    try (Reader lines = Files.newBufferedReader(home.resolve("release"))) {
      release.load(lines);
      String version = text(release, "JAVA_VERSION");
      return Runtime.Version.parse(version).feature() >= LEAST
          && List.of(text(release, "MODULES").split(" ", -1)).containsAll(NEEDED);
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  private static String text(Properties release, String name) {
    return release.getProperty(name, "").replace("\"", "");
  }
}
