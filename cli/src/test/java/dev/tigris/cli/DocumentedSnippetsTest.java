package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Document.Block;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// Compiles every block of Java in the README and in docs, and parses every command line of
/// `tigris` there.
///
/// A block of Java is one of three:
///
/// - a *file*, whose first line is a comment that names it. Files make up a program, which a test
///   of its own builds and runs;
/// - *types*, which later blocks of the page may use;
/// - a *fragment*. A comment before it, which readers do not see, says what stands around it, in
///   place of the `...`, and declares what it uses. If that is a method
///   `public static void run()`, it is run, too:
///
/// ```
/// <!-- java: void take(Water water) { ... } -->
/// ```
///
/// All of Tigris is imported, and the module `java.base`. A `...` inside of a block is left out.
class DocumentedSnippetsTest {
  private static final String IMPORTS =
      """
      import dev.tigris.flow.*;
      import dev.tigris.flow.Module;
      import dev.tigris.flow.operator.*;
      import dev.tigris.flow.text.*;
      import dev.tigris.matrix.*;
      import dev.tigris.memory.*;
      import dev.tigris.memory.arrow.*;
      import dev.tigris.memory.schema.*;
      import dev.tigris.message.*;
      import dev.tigris.message.call.CallOptions;
      import dev.tigris.message.call.CallServer;
      import dev.tigris.message.call.Calls;
      import dev.tigris.message.call.Idempotent;
      import dev.tigris.message.call.Results;
      import dev.tigris.message.call.ServerOptions;
      import dev.tigris.message.call.Service;
      import dev.tigris.net.*;
      import dev.tigris.sort.*;
      import dev.tigris.specializer.*;
      import org.jspecify.annotations.*;
      import module java.base;
      """;

  private static final String MODULES =
      "dev.tigris.flow,dev.tigris.matrix,dev.tigris.memory,dev.tigris.message,dev.tigris.net,"
          + "dev.tigris.sort,dev.tigris.specializer";

  /// The pages whose programs have a test: DocumentedFlowTest, DocumentedProjectTest and
  /// DocumentedRuleTest.
  private static final Set<String> PROGRAMS =
      Set.of("calls", "cluster", "flow", "objects", "specializer");

  private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|record) (\\w+)");
  private static final Pattern OMISSION = Pattern.compile("(?<=\\s)\\.\\.\\.");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^(?:\\./)?tigris .*|`(?:\\./)?tigris [^`]+`");
  private static final Pattern EXAMPLE = Pattern.compile("\\btigris example (\\w+)");

  @TempDir private Path folder;

  @Test
  void everyBlockOfJavaCompilesAndWhatIsCheapRuns() throws Exception {
    int ran = 0;
    for (Document page : Document.all()) {
      Path sources = Files.createDirectory(folder.resolve(page.name()));
      List<Block> blocks =
          page.blocks().stream()
              .filter(block -> block.language().equals("java") && !isProgram(page, block))
              .toList();
      List<String> arguments = new ArrayList<>(List.of("-Xlint:all,-incubating", "-Werror"));
      arguments.addAll(List.of("-p", modulePath(), "--add-modules", MODULES));
      Path classes = sources.resolve("classes");
      arguments.addAll(List.of("-d", classes.toString()));
      for (int i = 0; i < blocks.size(); i++) {
        arguments.add(write(sources, packageOf(page), "Block" + i, blocks.get(i)).toString());
      }
      if (!blocks.isEmpty()) {
        assertEquals("", Document.compile(arguments), page.name());
      }
      if (blocks.stream().anyMatch(block -> block.around().orElse("").contains(" run("))) {
        ran += run(page, classes);
      }
    }
    assertTrue(ran > 1, "so few fragments were run: " + ran);
  }

  private static boolean isProgram(Document page, Block block) {
    assertTrue(
        block.file().isEmpty() || PROGRAMS.contains(page.name()),
        "a program on %s.md has no test that runs it: %s".formatted(page.name(), block.file()));
    return block.file().isPresent();
  }

  private static String packageOf(Document page) {
    return page.name().replace("-", "").toLowerCase(Locale.ROOT);
  }

  /// Writes the source of a block: its first type gives it its name, or what is around it does.
  private static Path write(Path sources, String packageName, String name, Block block)
      throws IOException {
    String code = OMISSION.matcher(block.code()).replaceAll("");
    Matcher type = TYPE.matcher(code);
    boolean isFragment = block.around().isPresent();
    assertTrue(
        isFragment || type.find(), "a fragment needs to be told what is around it:\n" + code);
    String body =
        isFragment
            ? "public class %s { %s }"
                .formatted(
                    name,
                    block
                        .around()
                        .get()
                        .replaceFirst("\\.\\.\\.", Matcher.quoteReplacement("\n" + code)))
            : code;
    return Files.writeString(
        sources.resolve((isFragment ? name : type.group(1)) + ".java"),
        "package %s;\n%s\n%s".formatted(packageName, IMPORTS, body));
  }

  /// Runs the methods `run()` and `run(Path folder)` of a page, with its objects specialized as a
  /// user's are, and tells how many there were.
  private int run(Document page, Path classes) throws Exception {
    int ran = 0;
    Path work = Files.createDirectory(classes.resolveSibling("work"));
    Shell.Result result = new Shell(folder).run("specialize " + classes);
    assertEquals(ExitCode.OK, result.code(), result.err());
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()});
        Stream<Path> files = Files.list(classes.resolve(packageOf(page)))) {
      for (Path file : files.toList()) {
        String name = String.valueOf(file.getFileName()).replace(".class", "");
        Class<?> type = loader.loadClass(packageOf(page) + "." + name);
        for (Method method : type.getMethods()) {
          if (method.getName().equals("run")) {
            method.invoke(
                null, method.getParameterCount() == 0 ? new Object[0] : new Object[] {work});
            ran++;
          }
        }
      }
    }
    return ran;
  }

  private static String modulePath() {
    return Stream.of("jdk.module.path", "java.class.path")
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .collect(Collectors.joining(File.pathSeparator));
  }

  @Test
  void everyCommandLineParses() throws IOException {
    List<String> wrong = new ArrayList<>();
    int parsed = 0;
    for (Document page : Document.all()) {
      for (MatchResult command : COMMAND.matcher(page.text()).results().toList()) {
        // What the shell takes away, what a reader is told beside the command, and brackets.
        String line = command.group().replaceFirst("( {3,}| *#| > ).*", "");
        String[] words = line.replaceAll("[`\\[\\]\\\\]", "").strip().split(" +", -1);
        problem(List.of(words).subList(1, words.length))
            .ifPresent(problem -> wrong.add("%s.md: %s: %s".formatted(page.name(), line, problem)));
        parsed++;
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(parsed > 40, "so few command lines were found: " + parsed);
  }

  private static Optional<String> problem(List<String> words) throws IOException {
    String name = words.getFirst();
    if (List.of("test", "mvn", "example", "dist")
        .contains(name)) { // the rest is not for the command
      return Optional.empty();
    }
    if (name.equals("bench")) { // in a module that this one does not know
      String main = Files.readString(Path.of("../bench/src/main/java/dev/tigris/bench/Main.java"));
      return words.stream()
          .filter(word -> word.startsWith("-") && !main.contains('"' + word + '"'))
          .findFirst();
    }
    CommandLine commands = Tigris.commandLine();
    try {
      if (words.size() > 1 || !commands.getSubcommands().containsKey(name)) {
        commands.parseArgs(words.toArray(String[]::new));
      }
      return Optional.empty();
    } catch (ParameterException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  @Test
  void theExamplesThatAreNamedCanBeStarted() throws Exception {
    int found = 0;
    for (Document page : Document.all()) {
      for (MatchResult line : EXAMPLE.matcher(page.text()).results().toList()) {
        Path examples = Path.of("../examples/src/main/java/dev/tigris/examples");
        assertTrue(Files.exists(examples.resolve(line.group(1) + ".java")), line.group());
        found++;
      }
    }
    assertTrue(found > 0);
  }

  @Test
  void theFlowsOfTextAreThoseOfTheExamples() throws Exception {
    Path examples = Path.of("../examples/src/main/java/dev/tigris/examples");
    String source =
        withoutSpace(
            Files.readString(examples.resolve("TextTasks.java"))
                + Files.readString(examples.resolve("SpentByCountry.java")));
    List<String> flows =
        Document.of("docs/text.md").blocks().stream()
            .map(Block::code)
            .filter(code -> code.contains("Flow.named"))
            .toList();
    assertEquals(5, flows.size());
    for (String flow : flows) {
      assertTrue(source.contains(withoutSpace(flow)), flow);
    }
  }

  private static String withoutSpace(String code) {
    return code.replaceAll("\\s", "");
  }

  @Test
  void theRestrictedRuleIsTheOneOfTheExamples() throws Exception {
    String rule = Files.readString(Path.of("../examples/src/main/rules/ipv4.rules"));
    assertTrue(Document.of("docs/specializer.md").text().contains(rule));
  }
}
