package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.os.DiskSpace;
import dev.tigris.specializer.Agent;
import dev.tigris.specializer.ClassFiles;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specializer;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jars;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// Compiles and specializes sources that are not part of the build, and runs them in a plain `java`
/// with the module path as a user has it: the test runner opens packages that are closed there.
public final class Outside {
  /// The compiled classes of this module.
  public static final Path MEMORY = Path.of("target", "classes").toAbsolutePath();

  /// The module path of a user of this module.
  static final String MODULES = MEMORY + File.pathSeparator + Jvm.location(DiskSpace.class);

  private Outside() {}

  /// Compiles the source of one top-level class to `folder`.
  public static void compile(Path folder, String name, String source, Path... path)
      throws IOException {
    compile(folder, Map.of(name, source), path);
  }

  /// Compiles sources to `folder`, each by the name of its top-level class.
  static void compile(Path folder, Map<String, String> sources, Path... path) throws IOException {
    Files.createDirectories(folder);
    StringBuilder classPath = new StringBuilder(MEMORY.toString());
    for (Path entry : path) {
      classPath.append(File.pathSeparator).append(entry);
    }
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", folder.toString()));
    arguments.addAll(List.of("-cp", classPath.toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = folder.resolve(source.getKey() + ".java");
      arguments.add(Files.writeString(file, source.getValue()).toString());
    }
    StringWriter errors = new StringWriter();
    PrintWriter out = new PrintWriter(errors);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    if (javac.run(out, out, arguments.toArray(String[]::new)) != 0) {
      throw new AssertionError(errors.toString());
    }
  }

  /// Compiles a source file of this test's resources.
  static void compileResource(Path folder, String name, Path... path) throws IOException {
    String resource = "isolation/" + name + ".java.txt";
    try (var in = Outside.class.getClassLoader().getResourceAsStream(resource)) {
      compile(folder, name, new String(in.readAllBytes(), StandardCharsets.UTF_8), path);
    }
  }

  /// Copies the files of a folder, which are specialized in one way and another.
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /// What a JVM has printed.
  public record Outcome(int exitCode, String output) {}

  /// Runs a main class in a JVM of its own.
  public static Outcome run(List<String> options, List<String> mainAndArguments, Path... path) {
    dev.tigris.testing.process.Outcome outcome = command(options, mainAndArguments, path).run();
    return new Outcome(outcome.exitCode(), outcome.output());
  }

  /// The options that make a short run cheap, and then others.
  public static List<String> quick(String... options) {
    List<String> all = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    all.addAll(List.of(options));
    return all;
  }

  /// What starts one.
  static Command command(List<String> options, List<String> mainAndArguments, Path... path) {
    List<String> arguments = mainAndArguments.subList(1, mainAndArguments.size());
    return Jvm.besideModules(
            mainAndArguments.getFirst(),
            MODULES,
            "dev.tigris.memory,jdk.unsupported",
            List.of(path))
        .options(options)
        .options(
            "--enable-native-access=dev.tigris.os,dev.tigris.memory",
            "--illegal-native-access=deny")
        .command(arguments.toArray(String[]::new));
  }

  /// Specializes the classes in `folder`, which may have no problem.
  public static void specialize(Path folder, Path... path) throws IOException {
    specialize(new Delivery.Rewritten(), folder, path);
  }

  public static void specialize(Delivery delivery, Path folder, Path... path) throws IOException {
    specialize(Rule.standard(), delivery, folder, path);
  }

  public static void specialize(List<Rule> rules, Delivery delivery, Path folder, Path... path)
      throws IOException {
    List<Path> lookup = new ArrayList<>(List.of(folder, MEMORY));
    lookup.addAll(List.of(path));
    try (ClassPath classPath = new ClassPath(lookup)) {
      Specializer specializer = new Specializer(new ClassHierarchy(classPath), rules);
      List<Problem> problems =
          ClassFiles.specialize(List.of(folder), specializer, delivery).problems();
      assertEquals(List.of(), problems);
    }
  }

  /// Where the specializer's classes are: a folder, or its jar.
  static Path specializer() {
    return Jvm.location(Agent.class);
  }

  /// The jar of the agent that specializes classes as they are loaded, in `folder`.
  public static Path agent(Path folder) throws IOException {
    Path agent = folder.resolve("agent.jar");
    Path home = specializer();
    if (Files.isRegularFile(home)) {
      return Files.copy(home, agent);
    }
    Attributes agentClass = new Attributes();
    agentClass.putValue("Premain-Class", Agent.class.getName());
    agentClass.putValue("Main-Class", Agent.class.getPackageName() + ".Main");
    return Jars.pack(home, agent, agentClass);
  }
}
