package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects are the same however the JVM runs code, and memory is safe whichever way it collects.
///
/// A JVM is started for each way to run code. Each has one of the collectors, since the two do not
/// depend on each other.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PsoModesTest {
  /// With [#SOON], these are enough for each compiler to compile all of the program.
  private static final String ROUNDS = "1500";

  private static final String SOON = "-XX:CompileThresholdScaling=0.1";

  private static final String BOTH =
      """
      public class Both {
        public static void main(String[] arguments) throws Exception {
          Modes.main(arguments);
          Holders.main(arguments);
        }
      }
      """;

  private Path classes = Path.of("");
  private String expected = "";

  @BeforeAll
  void compile(@TempDir Path folder) throws Exception {
    classes = folder;
    Outside.compileResource(folder, "Modes");
    Outside.compileResource(folder, "Holders");
    Outside.compile(folder, "Both", BOTH, folder);
    Outside.specialize(folder);
    expected = run("Parallel", List.of("-XX:TieredStopAtLevel=1"));
    assertTrue(expected.contains(" true true true false true false false true\n"), expected);
    assertTrue(expected.endsWith("held and freed 17\n"), expected);
  }

  private String run(String collector, List<String> options) {
    String use = "-XX:+Use" + collector + "GC";
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of(use, SOON));
    Outside.Outcome outcome = Outside.run(all, List.of("Both", ROUNDS), classes);
    if (outcome.exitCode() == 1 && outcome.output().contains(use.substring(5))) {
      // This JDK has no such collector.
      outcome = Outside.run(options, List.of("Both", ROUNDS), classes);
    }
    assertEquals(0, outcome.exitCode(), outcome.output());
    return outcome.output();
  }

  @ParameterizedTest
  @CsvSource({
    "interpreted, -Xint, Serial",
    "by the second compiler without the first, -XX:-TieredCompilation, Z",
  })
  void readsTheSameHoweverCodeRuns(String how, String option, String collector) {
    assertEquals(expected, run(collector, List.of(option)), how);
  }

  /// The scheduler picks at random among the orders that the code allows.
  @Test
  void theSecondCompilerReadsTheSameInAnyOrderOfInstructions() {
    List<String> options =
        List.of(
            "-XX:-TieredCompilation",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+StressLCM",
            "-XX:+StressGCM",
            "-XX:+StressIGVN");
    assertEquals(expected, run("Shenandoah", options));
  }

  @Test
  @Slow("it compiles all of the module before it runs")
  void codeThatIsCompiledBeforeItRunsReadsTheSame() {
    List<String> options =
        List.of(
            "-Xcomp",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,dev.tigris.memory.*::*",
            "-XX:CompileCommand=compileonly,Modes*::*");
    assertEquals(expected, run("Serial", options));
  }

  @Test
  void codeReadsTheSameWhereTheScratchAreaCannotLieBelowAllElse() {
    assertEquals(expected, run("G1", List.of("-Dtigris.memory.low=false")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:-TieredCompilation", "-Xint"})
  @Slow("the quick tier has the interpreter, the first compiler and the second in turn")
  void oneWayToRunCodeReadsTheSameWhereTheScratchAreaCannotLieBelowAllElse(String option) {
    assertEquals(expected, run("Serial", List.of("-Dtigris.memory.low=false", option)));
  }
}
