package dev.tigris.bench;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The benches of the lower modules.
class LowerBenchesTest {
  @ParameterizedTest
  @ValueSource(strings = {"memory", "objects", "net", "message", "call"})
  @Slow("every bench as small as it goes, in JVMs of its own, but the variants of another")
  @Soak("the variants as well")
  void everyBenchOfTheModuleWorksAndItsResultsAreRight(String module, @TempDir Path folder)
      throws Exception {
    EveryBench.requireWorks(module, folder);
  }
}
