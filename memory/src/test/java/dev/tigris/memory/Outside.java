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
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/// Compiles and specializes sources that are not part of the build, and runs them in a plain `java`
/// with the module path as a user has it: the test runner opens packages that are closed there.
public final class Outside {
  /// The compiled classes of this module.
  public static final Path MEMORY = Path.of("target", "classes").toAbsolutePath();

  /// The module path of a user of this module.
  static final String MODULES = MEMORY + File.pathSeparator + Forked.location(DiskSpace.class);

  private Outside() {}

  /// Compiles the source of one top-level class to `folder`.
  public static void compile(Path folder, String name, String source, Path... path)
      throws IOException {
    Files.createDirectories(folder);
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    StringBuilder classPath = new StringBuilder(MEMORY.toString());
    for (Path entry : path) {
      classPath.append(File.pathSeparator).append(entry);
    }
    StringWriter errors = new StringWriter();
    PrintWriter out = new PrintWriter(errors);
    String[] arguments = {"-d", folder.toString(), "-cp", classPath.toString(), file.toString()};
    if (ToolProvider.findFirst("javac").orElseThrow().run(out, out, arguments) != 0) {
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

  /// What a JVM has printed.
  public record Outcome(int exitCode, String output) {}

  /// Runs a main class in a JVM of its own.
  public static Outcome run(List<String> options, List<String> mainAndArguments, Path... path)
      throws IOException, InterruptedException {
    Process java = start(options, mainAndArguments, path);
    String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(java.waitFor(), output);
  }

  /// Starts one; its errors go where its output goes.
  static Process start(List<String> options, List<String> mainAndArguments, Path... path)
      throws IOException {
    List<String> classPath = List.of(path).stream().map(Path::toString).toList();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("--module-path", MODULES));
    command.addAll(List.of("--add-modules", "dev.tigris.memory,jdk.unsupported"));
    command.add("--enable-native-access=dev.tigris.os,dev.tigris.memory");
    command.add("--illegal-native-access=deny");
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath)));
    command.addAll(mainAndArguments);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
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
    return Forked.location(Agent.class);
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
    return pack(home, agent, agentClass);
  }

  /// The jar that the classes are in. The reactor runs tests before it packs jars, so it is made
  /// here if they are in a folder.
  static Path pack(Path classes, Path jar) throws IOException {
    return Files.isRegularFile(classes) ? classes : pack(classes, jar, new Attributes());
  }

  private static Path pack(Path home, Path file, Attributes attributes) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putAll(attributes);
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(home)) {
      for (Path entry : files.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new ZipEntry(home.relativize(entry).toString()));
        Files.copy(entry, jar);
      }
    }
    return file;
  }
}
