package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleListTest {
  @TempDir private Path temporary;

  private List<Rule> parse(String text) throws IOException {
    return RuleList.parse("rules", text, new RuleModules(List.of(temporary)), List.of());
  }

  private String problem(String text) {
    return assertThrows(IOException.class, () -> parse(text)).getMessage();
  }

  @Test
  void readsAFileThatBeginsWithAByteOrderMark() throws IOException {
    Path file = Files.writeString(temporary.resolve("marked.rules"), "\uFEFFpso-field\n");
    assertEquals(1, RuleList.read(file, List.of(), List.of()).size());
  }

  /// Compiles a module with two rules to a folder on the path for rules.
  private void compileModule() throws Exception {
    Path sources = temporary.resolve("sources");
    Path code = Files.createDirectories(sources.resolve("sample"));
    Files.writeString(
        sources.resolve("module-info.java"),
        """
        module sample.rules {
          requires dev.tigris.specializer;
          provides dev.tigris.specializer.Rule with sample.First, sample.Second;
        }
        """);
    for (String name : List.of("First", "Second")) {
      Files.writeString(
          code.resolve(name + ".java"),
          """
          package sample;
          import dev.tigris.specializer.*;
          public class %s implements Rule {
            public String name() { return "%s"; }
            public boolean concerns(java.lang.classfile.ClassModel type, ClassHierarchy classes) {
              return false;
            }
            public Decision decide(Site site) { return Decision.PASS; }
          }
          """
              .formatted(name, name.toLowerCase(java.util.Locale.ROOT)));
    }
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--module-path",
                System.getProperty("jdk.module.path"),
                "-d",
                temporary.resolve("sample.rules").toString(),
                sources.resolve("module-info.java").toString(),
                code.resolve("First.java").toString(),
                code.resolve("Second.java").toString());
    assertEquals(0, result);
  }

  private static List<String> names(List<Rule> rules) {
    return rules.stream().map(Rule::name).toList();
  }

  @Test
  void readsTheSpecializersOwnRules() throws IOException {
    assertEquals(List.of("pso-field"), names(parse("# ours\n\n  pso-field  # that one\n")));
  }

  @Test
  void readsRulesOfTrustedModulesInTheirOrder() throws Exception {
    compileModule();
    assertEquals(
        List.of("second", "pso-field", "first"),
        names(parse("trust sample.rules\nsample.rules/second\npso-field\nsample.rules/first")));
    Path file = Files.writeString(temporary.resolve("list"), "sample.rules/first\n");
    assertEquals(
        List.of("first"), names(RuleList.read(file, List.of(temporary), List.of("sample.rules"))));
  }

  @Test
  void runsNothingOfAModuleThatIsNotTrusted() throws Exception {
    compileModule();
    String message = problem("pso-field\n  sample.rules/first");
    assertTrue(message.startsWith("rules:2:3: the module sample.rules is not trusted"), message);
    assertTrue(message.contains("`trust sample.rules`"), message);
    // Trusting it below is too late: what stands above is read first.
    assertTrue(problem("sample.rules/first\ntrust sample.rules").contains("not trusted"));
  }

  @Test
  void saysWhereAndWhatIsWrong() throws Exception {
    compileModule();
    assertEquals(
        "rules:1:1: unknown rule 'pso-fields': name one of pso-field, pso-cursor, pso-text",
        problem("pso-fields"));
    assertEquals(
        "rules:2:1: unknown rule 'third': name one of first, second",
        problem("trust sample.rules\nsample.rules/third"));
    assertTrue(
        problem("trust absent\nabsent/rule")
            .startsWith("rules:2:1: the module absent is not on the path"));
    assertTrue(
        problem("pso-field\n\n pso-field").startsWith("rules:3:2: pso-field is listed already"));
    assertTrue(problem("pso-field\nrestricted").startsWith("rules:2:1: name the file"));
    assertTrue(problem(" trust # whom?").startsWith("rules:1:2: name the module"));
    assertTrue(problem("pso field now").startsWith("rules:1:1: the line is not a rule"));
    assertTrue(problem("# nothing").contains("begin with pso-field"));
  }

  @Test
  void readsFilesOfBoundedLengthAndWaitsForNothing() throws Exception {
    Path pipe = temporary.resolve("pipe");
    String _ = Command.of("mkfifo", pipe.toString()).output();
    for (Path what : List.of(pipe, temporary, Path.of("/dev/zero"))) {
      assertEquals(
          "'%s' is a folder, a pipe or a device: rules are read from files".formatted(what),
          refusal(what));
    }
    Path binary = Files.write(temporary.resolve("binary"), new byte[] {-1, -2, 0});
    assertEquals("'%s' is no text in UTF-8".formatted(binary), refusal(binary));
    Path endless = temporary.resolve("endless");
    Files.writeString(endless, "# ".repeat(1 << 20));
    assertTrue(refusal(endless).startsWith("'%s' is longer than".formatted(endless)));
    Path list = Files.writeString(temporary.resolve("list"), "restricted pipe\n");
    assertEquals(
        "%s:1:1: cannot read pipe: '%s' is a folder, a pipe or a device: rules are read from files"
            .formatted(list, pipe),
        refusal(list));
    Files.writeString(list, "restricted absent\n");
    assertEquals(
        "%s:1:1: there is no '%s'".formatted(list, temporary.resolve("absent")), refusal(list));
  }

  private static String refusal(Path list) {
    return String.valueOf(
        assertThrows(IOException.class, () -> RuleList.read(list, List.of(), List.of()))
            .getMessage());
  }
}
