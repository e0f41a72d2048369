package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Pso;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Does what docs/objects.md tells a newcomer to do, with the files that stand there; only Maven's
/// part is done without Maven.
class DocumentedProjectTest {
  private static final String MEMORY = Shell.location(Pso.class);

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
    Process process =
        new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  private Outcome book(String... arguments) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    words.add(classes + File.pathSeparator + MEMORY);
    words.add("app.Book");
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

    assumeTrue(isThere("gcc", "--version"), "half skipped: there is no gcc (apt: gcc libc6-dev)");
    Shell.Result header = new Shell(folder).run("layout app.Entry -cp @/classes --c");
    Files.writeString(folder.resolve("entry.h"), header.out());
    List<String> compiler = List.of("gcc", "-Wall", "-Wextra", "-Werror", "-O2");
    List<String> command = new ArrayList<>(compiler);
    command.addAll(List.of("-o", "reader", "reader.c"));
    assertEquals(new Outcome(0, ""), run(command.toArray(String[]::new)));
    assertEquals(new Outcome(0, "ACME 5 at 12.50\ngrößer -7 at 1.00\n"), run("./reader", "book"));

    Path other = Files.write(folder.resolve("other"), new byte[1 << 12]);
    assertEquals(2, run("./reader", other.toString()).exit());
    assertEquals(1, run("./reader", folder.resolve("gone").toString()).exit());
  }

  @Test
  void aProgramInPythonReadsWhatTheDocumentedClassesWrote() throws Exception {
    String python = isThere("python3", "-c", "import numpy") ? "python3" : "/usr/bin/python3";
    assumeTrue(
        isThere(python, "-c", "import numpy"), "skipped: there is no NumPy (apt: python3-numpy)");
    specialize();
    assertEquals(0, book("ACME", "5", "12.50").exit());
    assertEquals(0, book("größer", "-7", "1").exit());
    Shell.Result types = new Shell(folder).run("layout app.Entry -cp @/classes --numpy");
    Files.writeString(folder.resolve("entry.py"), types.out());
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
    String version = own.replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
    String pom = Files.readString(folder.resolve("pom.xml"));
    assertTrue(pom.contains("<tigris.version>" + version + "</tigris.version>"), version);
  }

  private boolean isThere(String... command) throws InterruptedException {
    try {
      return run(command).exit() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
