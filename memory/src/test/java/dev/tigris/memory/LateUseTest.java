package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Nobody finds memory that was freed, or has become something else, whatever the collector does
/// and however late or early it says what it has found.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateUseTest {
  /// How many buffers each of two threads makes.
  private static final int ROUNDS = Tier.choose(150, 500, 100_000);

  private Path classes = Path.of("");

  @BeforeAll
  void compile(@TempDir Path folder) throws Exception {
    classes = folder;
    Outside.compileResource(folder, "Late");
    Outside.specialize(folder);
  }

  @ParameterizedTest
  @CsvSource({
    "Serial, hurried, -Xmn1m",
    "Parallel, delayed, -Xmn1m",
    "G1, hurried, -XX:SoftRefLRUPolicyMSPerMB=0",
    "Z, delayed, -XX:ConcGCThreads=1",
    "Shenandoah, hurried, -XX:ShenandoahGCHeuristics=aggressive",
  })
  @EveryTier("rounds: 150, 500, 100,000")
  void findsNothingThatWasFreed(String collector, String references, String option)
      throws Exception {
    use(collector, references, option);
  }

  @ParameterizedTest
  @CsvSource({
    "Serial, delayed, -XX:SoftRefLRUPolicyMSPerMB=0",
    "Parallel, hurried, -XX:SoftRefLRUPolicyMSPerMB=0",
    "G1, delayed, -XX:+ParallelRefProcEnabled",
    "Z, hurried, -XX:SoftRefLRUPolicyMSPerMB=0",
    "Shenandoah, delayed, -XX:SoftRefLRUPolicyMSPerMB=0",
  })
  @Slow("the other half of the pairs of a collector and its pace")
  @Soak("rounds: 100,000")
  void findsNothingThatWasFreedWithAnyCollectorAtAnyPace(
      String collector, String references, String option) throws Exception {
    use(collector, references, option);
  }

  private void use(String collector, String references, String option) throws Exception {
    List<String> options = new ArrayList<>();
    options.add("-XX:+UnlockDiagnosticVMOptions");
    options.addAll(List.of("-Xmx96m", "-XX:+Use" + collector + "GC", option));
    Outside.Outcome outcome =
        Outside.run(options, List.of("Late", references, "" + ROUNDS), classes);
    assumeFalse(
        outcome.exitCode() == 1 && outcome.output().contains("Use" + collector + "GC"),
        "this JDK has no such collector");
    assertEquals("used %1$d, freed %1$d\n".formatted(2 * ROUNDS), outcome.output());
  }
}
