package dev.tigris.testing.process;

import java.io.File;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A JVM of its own, for what ends it, what its options decide, or what only another process does.
/// Each method returns one that differs in one thing; [#command] gives what starts it.
///
/// It runs the JDK of this JVM, and may make the restricted calls that this project makes.
public final class Jvm {
  private final List<String> options;
  private final List<String> path;
  private final String main;

  private Jvm(List<String> options, List<String> path, String main) {
    this.options = options;
    this.path = path;
    this.main = main;
  }

  /// Runs the main class of a test, with all that this test has on its class path: modules are not
  /// named there.
  public static Jvm of(Class<?> main) {
    List<Path> path = new ArrayList<>(classPath());
    path.add(location(main));
    return onClassPath(main.getName(), path.toArray(Path[]::new));
  }

  /// Runs a main class, or a source file, with a class path of its own.
  public static Jvm onClassPath(String main, Path... classPath) {
    return onClassPath(main, joined(List.of(classPath)));
  }

  /// Runs a main class, or a source file, with a class path as the JVM has it.
  public static Jvm onClassPath(String main, String classPath) {
    List<String> options = List.of("--enable-native-access=ALL-UNNAMED");
    return new Jvm(options, List.of("-cp", classPath), main);
  }

  /// Runs the main class of a named module as a user does: the test runner opens packages that are
  /// closed there.
  ///
  /// @param moduleAndMain such as `dev.tigris.cli/dev.tigris.cli.Main`
  public static Jvm onModulePath(String moduleAndMain, String modulePath) {
    return new Jvm(List.of(), List.of("-p", modulePath, "-m"), moduleAndMain);
  }

  /// Runs a main class of the class path beside modules.
  ///
  /// @param modules what is resolved, as for `--add-modules`
  public static Jvm besideModules(
      String main, String modulePath, String modules, List<Path> classPath) {
    List<String> path = List.of("-p", modulePath, "--add-modules", modules, "-cp");
    List<String> whole = new ArrayList<>(path);
    whole.add(joined(classPath));
    return new Jvm(List.of(), whole, main);
  }

  /// Returns all that this JVM has on its class path and its module path, in their order.
  public static List<Path> classPath() {
    Set<Path> path = new LinkedHashSet<>();
    // Surefire says which class path a test has where it starts the JVM from a jar of its own.
    Stream.of(
            System.getProperty("jdk.module.path", ""),
            System.getProperty(
                "surefire.real.class.path", System.getProperty("java.class.path", "")))
        .flatMap(each -> Stream.of(each.split(File.pathSeparator, -1)))
        .filter(each -> !each.isEmpty())
        .map(each -> Path.of(each).toAbsolutePath())
        .forEach(path::add);
    return List.copyOf(path);
  }

  /// Returns where a class comes from: a folder or a jar.
  public static Path location(Class<?> type) {
    // Its path would have %20 for a space.
    URL location = type.getProtectionDomain().getCodeSource().getLocation();
    return Path.of(URI.create(location.toString()));
  }

  /// Returns a program of this JDK, such as `javac`.
  public static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /// Adds options of the JVM; of two that contradict each other, the later one holds.
  public Jvm options(String... more) {
    return options(List.of(more));
  }

  /// Adds options of the JVM.
  public Jvm options(List<String> more) {
    List<String> all = new ArrayList<>(options);
    all.addAll(more);
    return new Jvm(all, path, main);
  }

  /// Adds the options that make a short run cheap: no optimizing compiler, one thread that
  /// collects.
  public Jvm quick() {
    return options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData");
  }

  /// Returns the command that starts it with arguments for its main class.
  public Command command(String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(tool("java"));
    words.addAll(options);
    words.addAll(path);
    words.add(main);
    words.addAll(List.of(arguments));
    String name = main + " " + String.join(" ", arguments);
    return Command.of(words).named("java " + name.strip());
  }

  private static String joined(List<Path> path) {
    return String.join(File.pathSeparator, path.stream().map(Path::toString).toList());
  }
}
