package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds examples/store against a repository of this build alone, and does what its README says.
@Slow("builds a project with Maven, twice")
class StoreExampleTest {
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final Path ROOT = FakeCheckout.repository();
  private static final List<String> MODULES =
      List.of("os", "memory", "specializer", "specializer-maven-plugin");

  @TempDir private Path folder;
  private Path project;
  private Path repository;

  @BeforeEach
  void copyTheProject() throws Exception {
    Path cached = Path.of(System.getProperty("localRepository", "none"));
    assumeTrue(Files.isDirectory(cached), "Maven does not say where its repository is");
    Needs.program("mvn", "maven");
    project = folder.resolve("store");
    copy(ROOT.resolve("examples/store"), project);
    repository = folder.resolve("repository");
    try {
      Repository.add(ROOT, VERSION, repository, List.of());
      for (String module : MODULES) {
        Repository.add(ROOT.resolve(module), VERSION, repository, List.of(".jar"));
      }
      assertTrue(!Archive.jars(ROOT.resolve("cli"), VERSION).isEmpty());
    } catch (IOException e) {
      assumeTrue(false, "this build is not packaged: run mvn package first: " + e);
    }
    link(cached, repository);
    link(cached.resolve("dev"), repository.resolve("dev"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (!target.toString().contains("/target/")) {
          Files.createDirectories(target.resolveSibling("."));
          Files.copy(file, target);
        }
      }
    }
  }

  /// Links what Maven has fetched for this build into the project's repository, without ours.
  private static void link(Path from, Path to) throws IOException {
    if (Files.isDirectory(from)) {
      try (Stream<Path> groups = Files.list(from)) {
        for (Path group : groups.filter(Files::isDirectory).toList()) {
          Path name = to.resolve(group.getFileName());
          if (!Files.exists(name)) {
            Files.createSymbolicLink(name, group.toAbsolutePath());
          }
        }
      }
    }
  }

  private void build(int version) {
    Command.of(
            "mvn",
            "-o",
            "-q",
            "-B",
            "-Dmaven.repo.local=" + repository,
            "-Daether.enhancedLocalRepository.trackingFilename=none",
            "-Dorder.version=" + version,
            version == 1 ? "-DskipTests=false" : "-DskipTests",
            "package")
        .in(project)
        .environment("JAVA_HOME", System.getProperty("java.home"))
        .environment("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .run()
        .expect(0);
  }

  private Command store(int version, String... arguments) {
    String target = project.resolve("target/v" + version).toString();
    return Jvm.onClassPath("store.Main", target + "/classes:" + target + "/lib/*")
        .quick()
        .command(arguments)
        .in(folder);
  }

  private String header() throws IOException {
    List<Path> jars = new ArrayList<>(Archive.jars(ROOT.resolve("cli"), VERSION));
    return Jvm.onClassPath("dev.tigris.cli.Main", jars.toArray(Path[]::new))
        .quick()
        .command("layout", "store.Orders", "-cp", project + "/target/v1/classes", "--c")
        .output();
  }

  @Test
  void keepsOrdersThroughKillsAndVersionsAndForOtherLanguages() throws Exception {
    build(1);
    build(2);
    try (Child loading = store(1, "load", "orders", "40000", "5000").start()) {
      loading.expectLine("flushed 5000");
      loading.kill();
    }
    String found = store(1, "check", "orders").output();
    int orders = Integer.parseInt(found.substring(0, found.indexOf(' ')));
    assertTrue(orders >= 5000 && orders % 5000 == 0, found);
    store(1, "load", "orders", "40000").run().expect(0);
    String checked = store(1, "check", "orders").output();
    assertTrue(checked.startsWith("40000 orders, "), checked);
    store(1, "pay", "orders", "10000000700").run().expect(0);
    String order = store(1, "find", "orders", "10000000700").output();
    assertTrue(order.contains("number=10000000700") && order.contains("paid=true"), order);

    Command reader = Command.of("python3", project + "/readers/orders.py", "orders", "10000000700");
    String read = reader.in(folder).output();
    assertTrue(read.startsWith(checked + "10000000700 P-"), read);
    if (Needs.isThere("gcc")) {
      Files.writeString(folder.resolve("orders.h"), header());
      Command.of("gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-I.", "-o", "reader")
          .with(project + "/readers/orders.c")
          .in(folder)
          .run()
          .expect(0);
      assertEquals(read, Command.of("./reader", "orders", "10000000700").in(folder).output());
    }
    goForwardAndBack(checked);
    assertEquals(read, reader.in(folder).output());
    deleteLinks();
  }

  /// To the class with one field more, and back: which the older class does only when told to.
  private void goForwardAndBack(String checked) {
    String newer = store(2, "find", "orders", "10000000700").output();
    assertTrue(newer.contains("priority=0") && newer.contains("paid=true"), newer);
    assertEquals(checked, store(2, "check", "orders").output());
    Outcome refused = store(1, "check", "orders").run();
    assertEquals(1, refused.exitCode(), refused::toString);
    assertTrue(refused.output().contains("priority"), refused.output());
    store(1, "downgrade", "orders").run().expect(0);
    assertEquals(checked, store(1, "check", "orders").output());
  }

  /// JUnit would warn of each when it deletes the folder.
  private void deleteLinks() throws IOException {
    try (Stream<Path> links = Files.walk(repository, 2)) {
      for (Path link : links.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }
}
