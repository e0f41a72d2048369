package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs examples/text-tasks.sh with little text: it ends if an output differs from the usual
/// tool's.
@Slow("starts Java ten times, and sort and awk as often")
class TextTasksScriptTest {
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final Path ROOT = FakeCheckout.repository();

  @TempDir private Path folder;

  private static String classPath(String module) throws IOException {
    return Archive.jars(ROOT.resolve(module), VERSION).stream()
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /// A command as the checkout's, of what this build has made: the launcher would build anew.
  private Path tigris() throws IOException {
    String java =
        "exec '%s/bin/java' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '%s' %s"
            + " \"$@\"\n";
    String home = System.getProperty("java.home");
    String text =
        "#!/bin/sh\nif [ \"$1\" = example ]; then shift 2\n"
            + java.formatted(home, classPath("examples"), "dev.tigris.examples.TextTasks")
            + "fi\n"
            + java.formatted(home, classPath("cli"), "dev.tigris.cli.Main");
    Path script = Files.writeString(folder.resolve("tigris"), text);
    assertTrue(script.toFile().setExecutable(true));
    return script;
  }

  @Test
  void eachTaskWritesAsTheUsualToolDoes() throws Exception {
    for (String program : List.of("bash", "awk", "join", "gzip", "zstd")) {
      Needs.program(program, program);
    }
    Path tigris;
    try {
      tigris = tigris();
    } catch (IOException e) {
      assumeTrue(false, "this build is not packaged: run mvn package first: " + e);
      return;
    }
    String printed =
        Command.of(ROOT.resolve("examples/text-tasks.sh").toString(), "1", "1")
            .environment("TIGRIS", tigris.toString())
            .environment("TMPDIR", folder.toString())
            .output();
    List<String> names =
        printed.lines().filter(line -> line.contains(" tigris ")).map(this::first).toList();
    assertEquals(
        List.of(
            "columns", "unique", "log", "merge", "check", "top", "count", "sum", "join", "filter"),
        names,
        printed);
  }

  private String first(String line) {
    return line.substring(0, line.indexOf(' '));
  }
}
