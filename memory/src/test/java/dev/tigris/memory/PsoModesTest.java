package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.Slow;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects are the same however the JVM runs code, and memory is safe whichever way it collects.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PsoModesTest {
  private static final String ROUNDS = "3000";

  private Path classes = Path.of("");
  private String expected = "";

  @BeforeAll
  void compile(@TempDir Path folder) throws Exception {
    classes = folder;
    Outside.compileResource(folder, "Modes");
    Outside.compileResource(folder, "Holders");
    Outside.specialize(folder);
    expected = run("Modes");
    assertTrue(expected.endsWith(" false false false false true false false true\n"), expected);
  }

  private String run(String main, String... options) throws Exception {
    Outside.Outcome outcome = Outside.run(List.of(options), List.of(main, ROUNDS), classes);
    assertEquals(0, outcome.exitCode(), outcome.output());
    return outcome.output();
  }

  @Test
  void interpretedCodeReadsTheSame() throws Exception {
    assertEquals(expected, run("Modes", "-Xint"));
  }

  @Test
  void theFirstCompilerReadsTheSame() throws Exception {
    assertEquals(expected, run("Modes", "-XX:TieredStopAtLevel=1"));
  }

  @Test
  void theSecondCompilerReadsTheSameWithoutTheFirst() throws Exception {
    assertEquals(expected, run("Modes", "-XX:-TieredCompilation"));
  }

  /// The scheduler picks at random among the orders that the code allows.
  @Test
  void theSecondCompilerReadsTheSameInAnyOrderOfInstructions() throws Exception {
    String output =
        run(
            "Modes",
            "-XX:-TieredCompilation",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+StressLCM",
            "-XX:+StressGCM",
            "-XX:+StressIGVN");
    assertEquals(expected, output);
  }

  @Test
  @Slow("it compiles all of the module before it runs")
  void codeThatIsCompiledBeforeItRunsReadsTheSame() throws Exception {
    String output =
        run(
            "Modes",
            "-Xcomp",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,dev.tigris.memory.*::*",
            "-XX:CompileCommand=compileonly,Modes*::*");
    assertEquals(expected, output);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+TieredCompilation", "-XX:-TieredCompilation", "-Xint"})
  void codeReadsTheSameWhereTheScratchAreaCannotLieBelowAllElse(String compilers) throws Exception {
    assertEquals(expected, run("Modes", "-Dtigris.memory.low=false", compilers));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Serial", "Parallel", "G1", "Z", "Shenandoah"})
  void whateverLeadsToMemoryKeepsIt(String collector) throws Exception {
    Outside.Outcome outcome =
        Outside.run(
            List.of("-XX:TieredStopAtLevel=1", "-XX:+Use" + collector + "GC"),
            List.of("Holders"),
            classes);
    assumeFalse(
        outcome.exitCode() == 1 && outcome.output().contains("Use" + collector + "GC"),
        "this JDK has no such collector");
    assertEquals("held and freed 17\n", outcome.output());
  }
}
