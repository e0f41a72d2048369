package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writes, compiles and applies the rule that stands in docs/specializer.md, as the page says.
class DocumentedRuleTest {
  @TempDir private Path folder;

  @Test
  void theDocumentedRuleChangesWhatTimeItIs() throws Exception {
    Document.of("docs/specializer.md").writeFiles(folder);
    compile(
        List.of("-p", modules()),
        "-d @/clock @/rules/module-info.java @/rules/com/example/rules/ClockRule.java");
    compile(List.of(), "-d @/classes @/app/Clock.java @/app/Main.java");
    long before = System.currentTimeMillis();
    long now = Long.parseLong(time());
    assertTrue(before <= now && now <= System.currentTimeMillis(), "it asked the system: " + now);

    Shell.Result result =
        new Shell(folder)
            .run("specialize @/classes --rules @/rules/specializer.rules --rule-path @/clock");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("42", time());
  }

  /// The specializer and what it needs, among what this test runs with.
  private static String modules() {
    return Stream.of("jdk.module.path", "java.class.path", "surefire.test.class.path")
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
        .filter(entry -> entry.contains("specializer") || entry.contains("jspecify"))
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void compile(List<String> options, String line) {
    List<String> words = new ArrayList<>(List.of("-Xlint:all,-path", "-Werror"));
    words.addAll(options);
    words.addAll(List.of(line.replace("@/", folder + "/").split(" ", -1)));
    assertEquals("", Document.compile(words));
  }

  /// What the program says when the test's time is 42.
  private String time() {
    String printed =
        Jvm.onClassPath("app.Main", folder.resolve("classes"))
            .options("-Dapp.clock=42")
            .command()
            .output();
    return printed.strip();
  }
}
