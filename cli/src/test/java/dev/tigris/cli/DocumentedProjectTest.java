package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Command;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Does what docs/objects.md tells a newcomer to do, with the files that stand there; Maven's part
/// is done without Maven, but for the test of that.
class DocumentedProjectTest {
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final String MEMORY = Shell.memoryPath();

  @TempDir private Path folder;
  private Path classes;

  private record Outcome(int exit, String output) {}

  @BeforeEach
  void build() throws IOException {
    List<String> sources =
        Document.of("docs/objects.md").writeFiles(folder).stream()
            .map(Path::toString)
            .filter(file -> file.endsWith(".java"))
            .toList();
    assertEquals(2, sources.size(), "the page has two classes: " + sources);
    classes = folder.resolve("classes");
    List<String> arguments = new ArrayList<>(List.of("-Xlint:all", "-Werror", "-cp", MEMORY, "-d"));
    arguments.add(classes.toString());
    arguments.addAll(sources);
    assertEquals("", Document.compile(arguments));
  }

  private Outcome run(String... words) throws IOException, InterruptedException {
    var outcome =
        Command.of(words)
            .in(folder)
            .environment("JAVA_HOME", System.getProperty("java.home"))
            .run();
    return new Outcome(outcome.exitCode(), outcome.output());
  }

  private Outcome book(String... arguments) throws IOException, InterruptedException {
    return program("app.Book", arguments);
  }

  private Outcome program(String name, String... arguments)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    words.add(classes + File.pathSeparator + MEMORY);
    words.add(name);
    words.addAll(List.of(arguments));
    return run(words.toArray(String[]::new));
  }

  private void specialize() {
    Shell.Result result = new Shell(folder).run("specialize @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());
  }

  @Test
  void aProgramInCReadsWhatTheDocumentedClassesWrote() throws Exception {
    specialize();
    assertEquals(new Outcome(0, "1 entries, ACME worth 62.5\n"), book("ACME", "5", "12.50"));
    assertEquals(new Outcome(0, "2 entries, größer worth -7.0\n"), book("größer", "-7", "1"));

    compileReader();
    assertEquals(new Outcome(0, "ACME 5 at 12.50\ngrößer -7 at 1.00\n"), run("./reader", "book"));

    Path other = Files.write(folder.resolve("other"), new byte[1 << 12]);
    assertEquals(2, run("./reader", other.toString()).exit());
    assertEquals(1, run("./reader", folder.resolve("gone").toString()).exit());
  }

  private void compileReader() throws Exception {
    assumeTrue(isThere("gcc", "--version"), "half skipped: there is no gcc (apt: gcc libc6-dev)");
    Shell.Result header = new Shell(folder).run("layout app.Entry -cp @/classes --c");
    Files.writeString(folder.resolve("entry.h"), header.out());
    assertEquals(
        new Outcome(0, ""),
        run("gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-o", "reader", "reader.c"));
  }

  /// Writes what the Python program needs, and returns what runs it.
  private String python() throws Exception {
    String python = isThere("python3", "-c", "import numpy") ? "python3" : "/usr/bin/python3";
    assumeTrue(
        isThere(python, "-c", "import numpy"), "skipped: there is no NumPy (apt: python3-numpy)");
    Shell.Result types = new Shell(folder).run("layout app.Entry -cp @/classes --numpy");
    Files.writeString(folder.resolve("entry.py"), types.out());
    return python;
  }

  /// Fills a table that was made for fewer elements.
  private static final String FILLER =
      """
      package app;

      import dev.tigris.memory.*;
      import dev.tigris.memory.schema.Schema;
      import java.nio.file.Path;

      public class Filler {
        public static void main(String[] arguments) throws Exception {
          Schema schema = Schema.ofTable(Entry.class);
          try (Jbuf file = Jbuf.map(Path.of("book"), Mapping.DURABLE, 1 << 20, schema)) {
            Container container = file.asContainer();
            int capacity = Integer.parseInt(arguments[0]);
            PsoTable<Entry> entries = new PsoTable<>(container, Entry.class, capacity);
            container.root(entries);
            for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
              Entry entry = entries.add();
              entry.symbol.set("E" + i);
              entry.quantity = i;
              entry.price = i / 4.0;
            }
            file.flush();
          }
        }
      }
      """;

  /// Makes a file whose table has grown, and returns what its readers print.
  private String fill(int capacity, int count) throws Exception {
    Files.deleteIfExists(folder.resolve("book"));
    assertEquals(new Outcome(0, ""), program("app.Filler", capacity + "", count + ""));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(String.format(Locale.ROOT, "E%d %d at %.2f%n", i, i, i / 4.0));
    }
    return lines.toString();
  }

  /// Has the first segment begin at another index.
  private void damage() throws IOException {
    try (RandomAccessFile book = new RandomAccessFile(folder.resolve("book").toFile(), "rw")) {
      book.seek(32);
      long table = Long.reverseBytes(book.readLong());
      book.seek(table + 8);
      long segment = -Long.reverseBytes(book.readLong());
      book.seek(segment);
      book.writeLong(Long.reverseBytes(8));
    }
  }

  @Test
  @Slow("it starts three JVMs, a compiler and three Pythons")
  void programsInCAndPythonReadATableThatHasGrown() throws Exception {
    Path source = Files.writeString(folder.resolve("Filler.java"), FILLER);
    String path = classes + File.pathSeparator + MEMORY;
    assertEquals(
        "", Document.compile(List.of("-cp", path, "-d", classes.toString(), source.toString())));
    specialize();
    compileReader();
    String none = fill(0, 40); // the first part is empty
    assertEquals(new Outcome(0, none), run("./reader", "book"));
    damage();
    assertEquals(3, run("./reader", "book").exit());

    String all = fill(7, 3_000);
    assertEquals(new Outcome(0, all), run("./reader", "book"));
    String python = python();
    Outcome printed = run(python, "reader.py", "book");
    assertEquals(0, printed.exit(), printed.output());
    assertEquals(all, printed.output().substring(0, all.length()));
    assertTrue(printed.output().substring(all.length()).startsWith("worth "), "of all elements");
    damage();
    assertEquals(1, run(python, "reader.py", "book").exit());
    assertEquals(none, fill(0, 40));
    printed = run(python, "reader.py", "book");
    assertTrue(printed.output().startsWith(none), printed.output());
  }

  @Test
  void aProgramInPythonReadsWhatTheDocumentedClassesWrote() throws Exception {
    String python = python();
    specialize();
    assertEquals(0, book("ACME", "5", "12.50").exit());
    assertEquals(0, book("größer", "-7", "1").exit());
    assertEquals(
        new Outcome(0, "ACME 5 at 12.50\ngrößer -7 at 1.00\nworth 55.5\n"),
        run(python, "reader.py", "book"));
    Path other = Files.write(folder.resolve("other"), new byte[1 << 12]);
    assertEquals(1, run(python, "reader.py", other.toString()).exit());
  }

  @Test
  void aClassThatWasNotSpecializedSaysSo() throws Exception {
    Outcome outcome = book("ACME", "5", "12.50");
    assertEquals(1, outcome.exit());
    assertTrue(outcome.output().contains("UnspecializedClassException"), outcome.output());
  }

  @Test
  void theDocumentedProjectUsesThisVersion() throws IOException {
    String own = Files.readString(Path.of("..", "pom.xml"));
    assertEquals(VERSION, own.replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1"));
    String pom = Files.readString(folder.resolve("pom.xml"));
    assertTrue(pom.contains("<tigris.version>" + VERSION + "</tigris.version>"), pom);
  }

  /// The page's pom builds its project with what this build has made. Only the versions of Maven's
  /// own plugins are added: those of this build, as Maven would fetch others.
  @Test
  @Slow("a run of Maven")
  void mavenBuildsTheDocumentedProject() throws Exception {
    Path cached = Path.of(System.getProperty("localRepository", "none"));
    assumeTrue(Files.isDirectory(cached) && isThere("mvn", "--version"), "skipped: no Maven");
    Path repository = repository(cached);
    Path pom = folder.resolve("pom.xml");
    String own = Files.readString(Path.of("..", "pom.xml"));
    StringBuilder versions = new StringBuilder("<build><pluginManagement><plugins>");
    for (String name : List.of("maven-resources-plugin", "maven-compiler-plugin")) {
      String version =
          own.replaceFirst(
              "(?s).*?<artifactId>" + name + "</artifactId>\\s*<version>(.*?)<.*", "$1");
      versions.append("<plugin><artifactId>%s</artifactId>".formatted(name));
      versions.append("<version>%s</version></plugin>".formatted(version));
    }
    versions.append("</plugins></pluginManagement>");
    Files.writeString(pom, Files.readString(pom).replace("<build>", versions));
    Outcome built = mavenBuild(repository);
    assertEquals(0, built.exit(), built.output());
    classes = folder.resolve("target", "classes");
    assertEquals(new Outcome(0, "1 entries, ACME worth 62.5\n"), book("ACME", "5", "12.50"));
  }

  /// Takes what is in the repository for installed, wherever it was fetched from.
  private Outcome mavenBuild(Path repository) throws IOException, InterruptedException {
    try {
      return run(
          "mvn",
          "-o",
          "-q",
          "-B",
          "-Dmaven.repo.local=" + repository,
          "-Daether.enhancedLocalRepository.trackingFilename=none",
          "process-classes");
    } finally {
      // JUnit would warn of each link when it deletes the folder.
      try (Stream<Path> links = Files.walk(repository, 2)) {
        for (Path link : links.filter(Files::isSymbolicLink).toList()) {
          Files.delete(link);
        }
      }
    }
  }

  /// What Maven would find after `mvn install` in a checkout: this build's artifacts, and what it
  /// has fetched for them.
  private Path repository(Path cached) throws IOException {
    Path repository = Files.createDirectories(folder.resolve("repository"));
    Path dev = Files.createDirectory(repository.resolve("dev"));
    link(cached, repository);
    link(cached.resolve("dev"), dev);
    Path modules = Path.of("..");
    install(dev, "tigris", modules);
    for (String module : List.of("os", "memory", "specializer", "specializer-maven-plugin")) {
      install(dev, "tigris-" + module, modules.resolve(module));
    }
    return repository;
  }

  private static void link(Path from, Path to) throws IOException {
    if (Files.isDirectory(from)) {
      try (Stream<Path> groups = Files.list(from)) {
        for (Path group : groups.filter(Files::isDirectory).toList()) {
          Path name = to.resolve(group.getFileName());
          if (!name.endsWith("dev") && !name.endsWith("dev/tigris")) {
            Files.createSymbolicLink(name, group.toAbsolutePath());
          }
        }
      }
    }
  }

  private static void install(Path dev, String artifact, Path module) throws IOException {
    Path version = dev.resolve("tigris").resolve(artifact).resolve(VERSION);
    Files.createDirectories(version);
    String name = artifact + "-" + VERSION;
    Files.copy(module.resolve("pom.xml"), version.resolve(name + ".pom"));
    Path built = module.resolve("target").resolve("classes");
    if (Files.isDirectory(built)) {
      String jar = version.resolve(name + ".jar").toString();
      assertEquals(
          0,
          ToolProvider.findFirst("jar")
              .orElseThrow()
              .run(System.out, System.err, "-c", "-f", jar, "-C", built.toString(), "."));
    }
  }

  private boolean isThere(String... command) throws InterruptedException {
    try {
      return run(command).exit() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
