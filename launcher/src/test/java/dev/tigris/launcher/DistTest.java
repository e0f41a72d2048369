package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Makes the parts of a release in a small checkout. ArchiveTest makes a whole one.
class DistTest {
  private static final String PARENT =
      """
      <project>
        <artifactId>tigris</artifactId>
        <version>0.1.0-SNAPSHOT</version>
        <dependency><version>2.0</version></dependency>
      </project>
      """;

  private static final String MODULE =
      """
      <project>
        <parent><artifactId>tigris</artifactId><version>0.1.0-SNAPSHOT</version></parent>
        <artifactId>tigris-%s</artifactId>
        %s
      </project>
      """;

  @TempDir private Path folder;

  private Path checkout() throws IOException {
    Path root = Files.createDirectories(folder.resolve("checkout"));
    Files.writeString(root.resolve("pom.xml"), PARENT);
    Files.writeString(root.resolve("LICENSE"), "free");
    for (String name : List.of("memory", "bench")) {
      String more = name.equals("bench") ? "<maven.deploy.skip>true</maven.deploy.skip>" : "";
      Path source = Files.createDirectories(root.resolve(name).resolve("src/main/java"));
      Files.writeString(source.resolve("A.java"), "class A {}");
      Files.createDirectories(root.resolve(name).resolve("src/test"));
      Files.writeString(root.resolve(name).resolve("src/test/B.java"), "class B {}");
      Files.writeString(root.resolve(name).resolve("pom.xml"), MODULE.formatted(name, more));
    }
    return root;
  }

  private static List<String> files(Path under) throws IOException {
    try (Stream<Path> walk = Files.walk(under)) {
      return walk.filter(Files::isRegularFile)
          .map(file -> under.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1.0", "v1.0.0", "1.0.0-SNAPSHOT", "1.0.0-SNAPSHOT.2", "../1.0.0"})
  void refusesWhatIsNoVersionOfARelease(String version) throws Exception {
    Result result = new FakeCheckout(folder).launcher("dist", version);
    assertEquals(2, result.exitCode());
    assertTrue(result.err().contains("tigris dist 1.2.3"), result.err());
  }

  @Test
  void buildsACopyUnderTheVersion() throws Exception {
    var checkout = new FakeCheckout(folder);
    Files.writeString(checkout.root.resolve("pom.xml"), PARENT);
    Files.writeString(checkout.root.resolve("cli/pom.xml"), MODULE.formatted("cli", ""));
    Files.writeString(checkout.root.resolve("bench/pom.xml"), MODULE.formatted("bench", ""));
    Files.writeString(
        checkout.root.resolve("launcher/pom.xml"),
        MODULE.formatted("launcher", "<maven.deploy.skip>true</maven.deploy.skip>"));
    Result result = checkout.launcher("dist", "1.2.3");
    assertEquals(126, result.exitCode(), "its Maven makes no jars");
    Path source = checkout.root.resolve("build/dist/1.2.3/source");
    String built = checkout.calls().getFirst();
    assertTrue(built.contains("-f %s/pom.xml -Prelease".formatted(source)), built);
    assertTrue(built.contains("-pl bench,cli,cli -am package"), built);
    assertEquals(PARENT, Files.readString(checkout.root.resolve("pom.xml")));
  }

  @Test
  void copiesSourcesWithoutTests() throws IOException {
    Path copy = folder.resolve("copy");
    SourceCopy source = SourceCopy.of(new Checkout(checkout()), "1.2.3", copy);
    assertEquals(List.of("memory"), source.published());
    assertEquals(
        List.of(
            "LICENSE",
            "bench/pom.xml",
            "bench/src/main/java/A.java",
            "memory/pom.xml",
            "memory/src/main/java/A.java",
            "pom.xml"),
        files(copy));
    String parent = Files.readString(copy.resolve("pom.xml"));
    assertTrue(parent.contains("<version>1.2.3<") && parent.contains("<version>2.0<"), parent);
    assertFalse(Files.readString(copy.resolve("memory/pom.xml")).contains("SNAPSHOT"));
  }

  @Test
  void makesARepositoryOfWhatIsPublished() throws IOException {
    SourceCopy source = SourceCopy.of(new Checkout(checkout()), "1.2.3", folder.resolve("copy"));
    Path target = Files.createDirectories(source.root().resolve("memory/target"));
    Path repository = folder.resolve("repository");
    assertThrows(NoSuchFileException.class, () -> Repository.make(source, repository));
    for (String kind : List.of("", "-sources", "-javadoc")) {
      Files.writeString(target.resolve("tigris-memory-1.2.3" + kind + ".jar"), "abc");
    }
    Repository.make(source, repository);
    List<String> made = files(repository);
    assertEquals(5 * (1 + 4), made.size(), made.toString());
    String jar = "dev/tigris/tigris-memory/1.2.3/tigris-memory-1.2.3.jar";
    assertTrue(made.contains(jar), made.toString());
    assertEquals(
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        Files.readString(repository.resolve(jar + ".sha1")));
  }
}
