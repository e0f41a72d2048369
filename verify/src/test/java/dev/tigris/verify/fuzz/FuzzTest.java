package dev.tigris.verify.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.verify.tidy.Checkout;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// What fuzzing has found stays found, and a little more is tried each time; docs/fuzzing.md. The
/// targets are the classes `...Fuzz` in the tests of all modules, each with a corpus; they run as
/// Jazzer runs them, with the compiled classes and tests of all modules on one path.
@EveryTier("changes of each kept input: 5, 30, 10,000")
class FuzzTest {
  private static final int CHANGES = Tier.choose(5, 30, 10_000);

  private final Checkout checkout = Checkout.ofCurrentFolder();

  /// A class that takes hostile bytes.
  ///
  /// @param name of the class
  /// @param corpus a folder of inputs
  private record Target(String name, Path corpus) {}

  @TestFactory
  List<DynamicTest> hostileBytesAreRefused() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    List<URL> path = new ArrayList<>();
    for (String module : checkout.modules()) {
      Path compiled = checkout.root().resolve(module).resolve("target");
      path.add(compiled.resolve("classes").toUri().toURL());
      path.add(compiled.resolve("test-classes").toUri().toURL());
      for (Target target : targets(module)) {
        tests.add(DynamicTest.dynamicTest(target.name(), () -> run(target, path)));
      }
    }
    assertFalse(tests.isEmpty());
    return tests;
  }

  private List<Target> targets(String module) throws IOException {
    Path tests = checkout.root().resolve(module).resolve("src").resolve("test");
    Path sources = tests.resolve("java");
    if (!Files.exists(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .map(file -> sources.relativize(file).toString())
          .filter(file -> file.endsWith("Fuzz.java"))
          .map(file -> file.replace(".java", "").replace('/', '.'))
          .map(name -> new Target(name, corpus(tests, name)))
          .sorted((one, other) -> one.name().compareTo(other.name()))
          .toList();
    }
  }

  private static Path corpus(Path tests, String name) {
    String simpleName = name.substring(name.lastIndexOf('.') + 1);
    return tests.resolve("resources").resolve("fuzz").resolve(simpleName);
  }

  private static void run(Target target, List<URL> path) throws Exception {
    List<Path> files;
    try (Stream<Path> found = Files.list(target.corpus())) {
      files = found.sorted().toList();
    }
    assertFalse(files.isEmpty(), target.corpus() + " has no inputs");
    long seed = System.nanoTime();
    try (URLClassLoader classes =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Method run = classes.loadClass(target.name()).getMethod("fuzzerTestOneInput", byte[].class);
      assertTimeoutPreemptively(
          Duration.ofHours(6),
          () -> {
            for (Path file : files) {
              byte[] input = Files.readAllBytes(file);
              run(run, input, file + " as it is");
              Random random = new Random(seed);
              for (int change = 0; change < CHANGES; change++) {
                if (input.length > 0) {
                  input[random.nextInt(input.length)] = (byte) random.nextInt();
                }
                run(run, input, file + ", seed " + seed + ", change " + change);
              }
            }
          });
    }
  }

  private static void run(Method target, byte[] input, String what) throws IllegalAccessException {
    try {
      target.invoke(null, (Object) input.clone());
    } catch (InvocationTargetException e) {
      throw new AssertionError(what, e.getCause());
    }
  }
}
