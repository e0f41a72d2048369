package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Outside.Outcome;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.patch.PatchKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The ways to deliver specialized classes, and a plain `java` that runs them with the agent as a
/// user has it.
///
/// @param temporary where the lists of rules lie
/// @param agent its jar
record Deliveries(Path temporary, Path agent) {
  static final Delivery REWRITTEN = new Delivery.Rewritten();
  static final Delivery FLAT = new Delivery.Patched(PatchKind.FLAT, Optional.empty());
  static final Delivery DIFF = new Delivery.Patched(PatchKind.DIFF, Optional.empty());

  /// The line behind the output of a program of several.
  private static final String END = "that was one\n";

  private static final String EACH =
      """
      import java.net.*;
      import java.nio.file.Path;
      public class Each {
        public static void main(String[] arguments) throws Exception {
          for (int i = 1; i < arguments.length; i++) {
            URL[] path = {Path.of(arguments[i]).toUri().toURL()};
            try (URLClassLoader loader = new URLClassLoader(path, Each.class.getClassLoader())) {
              Class<?> main = loader.loadClass(arguments[0]);
              main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (Throwable e) {
              e.printStackTrace(System.out);
            }
            System.out.print("that was one\\n");
          }
        }
      }
      """;

  Path list(String rules) throws IOException {
    return Files.writeString(temporary.resolve("list"), rules);
  }

  static String resource(String name) throws IOException {
    try (var in = Deliveries.class.getClassLoader().getResourceAsStream("delivery/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// Runs a program in the first compiler's code: what is checked is the delivery, and each of many
  /// runs is short.
  Outcome run(String main, Path folder, String... options) {
    return Outside.run(Outside.quick(options), List.of(main), folder);
  }

  /// Runs a program of several folders one after the other in one JVM, each with a class loader of
  /// its own; returns what each has printed. One that fails prints the stack trace.
  List<String> runEach(String main, List<Path> folders, String... options) throws IOException {
    Path classes = temporary.resolve("each");
    if (!Files.exists(classes)) {
      Outside.compile(classes, "Each", EACH);
    }
    List<String> words = new ArrayList<>(List.of("Each", main));
    folders.forEach(folder -> words.add(folder.toString()));
    Outcome outcome = Outside.run(Outside.quick(options), words, classes);
    assertEquals(0, outcome.exitCode(), outcome.output());
    List<String> printed = List.of(outcome.output().split(END, -1));
    assertEquals(folders.size() + 1, printed.size(), outcome.output());
    return printed.subList(0, folders.size());
  }

  /// Runs them with the agent.
  ///
  /// @param options empty, or `=` and the agent's options
  List<String> runEachWithAgent(String main, List<Path> folders, String options)
      throws IOException {
    return runEach(main, folders, "-javaagent:" + agent + options);
  }

  /// Runs it with the agent.
  ///
  /// @param options empty, or `=` and the agent's options
  Outcome runWithAgent(String main, Path folder, String options) {
    return run(main, folder, "-javaagent:" + agent + options);
  }
}
