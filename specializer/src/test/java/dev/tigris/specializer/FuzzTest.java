package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tigris.specializer.patch.PatchFuzz;
import dev.tigris.specializer.structure.StructureFuzz;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What fuzzing has found stays found, and a little more is tried each time; docs/fuzzing.md.
class FuzzTest {
  private static final Path CORPUS = Path.of("src", "test", "resources", "fuzz");
  private static final int CHANGES = 20;

  @ParameterizedTest
  @ValueSource(
      classes = {ClassFileFuzz.class, PatchFuzz.class, RuleListFuzz.class, StructureFuzz.class})
  void hostileBytesAreRefused(Class<?> target) throws Exception {
    Method run = target.getMethod("fuzzerTestOneInput", byte[].class);
    List<Path> files;
    try (Stream<Path> found = Files.list(CORPUS.resolve(target.getSimpleName()))) {
      files = found.sorted().toList();
    }
    long seed = System.nanoTime();
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
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

  private static void run(Method target, byte[] input, String what) throws IllegalAccessException {
    try {
      target.invoke(null, (Object) input.clone());
    } catch (InvocationTargetException e) {
      throw new AssertionError(what, e.getCause());
    }
  }
}
