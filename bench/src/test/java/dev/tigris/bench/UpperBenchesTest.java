package dev.tigris.bench;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The benches of the upper modules, and those of the papers' figures.
class UpperBenchesTest {
  @ParameterizedTest
  @ValueSource(strings = {"cluster", "flow", "group", "multiply", "paper", "sort"})
  @Slow("every bench as small as it goes, in JVMs of its own, but the variants of another")
  @Soak("the variants as well")
  void everyBenchOfTheModuleWorksAndItsResultsAreRight(String module, @TempDir Path folder)
      throws Exception {
    EveryBench.requireWorks(module, folder);
  }
}
