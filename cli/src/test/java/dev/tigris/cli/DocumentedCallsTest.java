package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds and runs the server and the client that stand in docs/calls.md, as the page says.
class DocumentedCallsTest {
  private static final Pattern LIBRARY =
      Pattern.compile(".*\\b(os|memory|net|message)\\b.*|.*jspecify.*");
  private static final int MOST_LINES = 30;

  @TempDir private Path folder;

  @Test
  void theDocumentedServerServesItsClientAndTheCommand() throws Exception {
    List<String> words = new ArrayList<>(List.of("-Xlint:all,-path", "-Werror"));
    words.addAll(List.of("-cp", libraries(), "-d", folder.resolve("classes").toString()));
    for (Path source : Document.of("docs/calls.md").writeFiles(folder)) {
      words.add(source.toString());
    }
    assertEquals("", Document.compile(words));
    Shell shell = new Shell(folder);
    Shell.Result result = shell.run("specialize --classpath " + libraries() + " @/classes");
    assertEquals(ExitCode.OK, result.code(), result.err());

    String classPath = folder.resolve("classes") + File.pathSeparator + libraries();
    try (Child server =
        Jvm.onClassPath("app.OrderServer", classPath).quick().command("127.0.0.1:0").start()) {
      String at = Objects.requireNonNull(server.nextLine());
      String printed = Jvm.onClassPath("app.OrderClient", classPath).quick().command(at).output();
      assertEquals("3", printed.strip());

      result = shell.run("call " + at + " -cp @/classes Orders.find 17");
      assertEquals(ExitCode.OK, result.code(), result.err());
      assertEquals("{\"quantity\":3,\"price\":0.0,\"symbol\":\"\"}", result.out().strip());
    }
  }

  @Test
  void serverAndClientAreShort() throws IOException {
    Document.of("docs/calls.md").writeFiles(folder);
    long lines = lines("app/OrderServer.java") + lines("app/OrderClient.java");
    assertTrue(lines <= MOST_LINES, () -> lines + " lines");
  }

  /// Counts lines of code.
  private long lines(String source) throws IOException {
    return Files.readAllLines(folder.resolve(source)).stream()
        .filter(line -> !line.isBlank() && !line.matches("(package|import) .*"))
        .count();
  }

  /// The jars that the page names, among what this test runs with.
  private static String libraries() {
    return Stream.of("jdk.module.path", "java.class.path")
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
        .filter(entry -> LIBRARY.matcher(entry).matches())
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }
}
