package dev.tigris.bench.engine;

import dev.tigris.bench.Home;
import dev.tigris.bench.sort.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The jars of a peer that this module does not depend on: Maven fetches them when they are first
/// asked for, and keeps them where it keeps all others. It is the launcher's Maven where the `PATH`
/// has none.
public final class MavenJars {
  private static final String PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.7.0:build-classpath";

  private MavenJars() {}

  /// Returns the jars of artifacts, each `GROUP:ARTIFACT:VERSION`, and of all that these need. It
  /// is empty where Maven cannot get them.
  public static Optional<List<Path>> of(Path folder, String... artifacts)
      throws IOException, InterruptedException {
    Path project = Files.createTempDirectory(folder, "jars-");
    StringBuilder pom =
        new StringBuilder(
            """
            <project>
              <modelVersion>4.0.0</modelVersion>
              <groupId>bench</groupId>
              <artifactId>jars</artifactId>
              <version>1</version>
              <packaging>pom</packaging>
              <dependencies>
            """);
    for (String artifact : artifacts) {
      String[] names = artifact.split(":", -1);
      pom.append(
          """
                <dependency>
                  <groupId>%s</groupId>
                  <artifactId>%s</artifactId>
                  <version>%s</version>
                </dependency>
          """
              .formatted(names[0], names[1], names[2]));
    }
    Files.writeString(project.resolve("pom.xml"), pom.append("  </dependencies>\n</project>\n"));
    Path list = project.resolve("list");
    List<String> words = new ArrayList<>(isOnPath("mvn") ? List.of("mvn") : launcher());
    words.addAll(List.of("-q", "-B", "-ntp", "-f", project.resolve("pom.xml").toString()));
    words.addAll(List.of(PLUGIN, "-Dmdep.outputFile=" + list));
    Command.Outcome outcome = new Command(words).run(folder);
    if (outcome.exit() != 0) {
      return Optional.empty();
    }
    String path = Files.readString(list).strip();
    return Optional.of(Stream.of(path.split(File.pathSeparator, -1)).map(Path::of).toList());
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static List<String> launcher() {
    return List.of(Home.launcher().toString(), "mvn");
  }
}
