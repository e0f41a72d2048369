package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris test`, with a Maven that writes reports as surefire does.
class TestRunTest {
  private static final String PASSED =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="dev.tigris.cli.PassedTest" time="1,002.25" tests="2" errors="0" skipped="0" failures="0">
        <properties><property name="skipped" value="a property"/></properties>
        <testcase name="one" classname="dev.tigris.cli.PassedTest" time="1000"/>
        <testcase name="two" classname="dev.tigris.cli.PassedTest" time="2.25">
          <system-out><![CDATA[<failure message="printed"/>]]></system-out>
        </testcase>
      </testsuite>
      """;

  private static final String SKIPPED =
      """
      <testsuite name="dev.tigris.bench.SkippedTest" time="0.5" tests="2" errors="0" skipped="1" failures="0">
        <testcase name="device" classname="dev.tigris.bench.SkippedTest" time="0">
          <skipped message="Assumption failed: there is &quot;no&quot; device&#10;at all" type="x.TestAborted"/>
        </testcase>
        <testcase name="other" classname="dev.tigris.bench.SkippedTest" time="0.5"/>
      </testsuite>
      """;

  private static final String FAILED =
      """
      <testsuite name="dev.tigris.cli.FailedTest" time="0.25" tests="2" errors="1" skipped="0" failures="1">
        <testcase name="wrong" classname="dev.tigris.cli.FailedTest" time="0.25">
          <failure message="expected: 1&#10;but was: 2" type="x.Failed">a stack</failure>
        </testcase>
        <testcase name="broken" classname="dev.tigris.cli.FailedTest" time="0">
          <error type="java.lang.NullPointerException">a stack</error>
        </testcase>
      </testsuite>
      """;

  private static final String UNSTEADY =
      """
      <testsuite name="dev.tigris.cli.UnsteadyTest" time="0.5" tests="1" errors="0" skipped="0" failures="0" flakes="1">
        <testcase name="race" classname="dev.tigris.cli.UnsteadyTest" time="0.5">
          <flakyFailure message="too late" type="x.Failed"><stackTrace>a stack</stackTrace></flakyFailure>
        </testcase>
      </testsuite>
      """;

  @TempDir Path folder;
  private FakeCheckout checkout;

  @BeforeEach
  void makeACheckoutWithReportsOfAnEarlierRun() throws IOException {
    checkout = new FakeCheckout(folder);
    Path old = report("cli", "OldTest", FAILED);
    Files.setLastModifiedTime(old, FileTime.fromMillis(0));
    checkout.environment.put("MAVEN_WORK", folder.resolve("work").toString());
    Files.writeString(folder.resolve("work"), "");
  }

  private Path report(String module, String name, String xml) throws IOException {
    Path reports =
        Files.createDirectories(checkout.root.resolve(module).resolve("target/surefire-reports"));
    return Files.writeString(reports.resolve("TEST-" + name + ".xml"), xml);
  }

  /// Has Maven write a report.
  private void willReport(String module, String name, String xml) throws IOException {
    Path ready = Files.writeString(folder.resolve(name + ".xml"), xml);
    String reports = module + "/target/surefire-reports";
    Files.writeString(
        folder.resolve("work"),
        Files.readString(folder.resolve("work"))
            + "mkdir -p %1$s; cat '%2$s' > %1$s/TEST-%3$s.xml\n".formatted(reports, ready, name));
    if (!Files.exists(checkout.bin.resolve("cat"))) {
      checkout.link("cat");
    }
  }

  @Test
  void endsWithATableOfWhatRan() throws Exception {
    willReport("cli", "Passed", PASSED);
    willReport("bench", "Skipped", SKIPPED);
    Result result = checkout.launcher("test");
    assertEquals(0, result.exitCode(), result.err());
    assertEquals(
        """

        module  tests  failed  skipped  seconds
        bench       2       0        1      0.5
        cli         2       0        0   1002.3
        all         4       0        1   1002.8
        The run took T s.

        module  slowest classes               seconds
        cli     dev.tigris.cli.PassedTest      1002.3
        bench   dev.tigris.bench.SkippedTest      0.5

        skipped
        bench  SkippedTest.device: Assumption failed: there is "no" device

        3 passed, 0 failed, 1 skipped
        """,
        result.out().replaceFirst("took [0-9.]+ s", "took T s"));
  }

  @Test
  void namesTheTestsThatFailed() throws Exception {
    willReport("cli", "Passed", PASSED);
    willReport("cli", "Failed", FAILED);
    Result result = checkout.launcher("test"); // even if Maven did not mind
    assertEquals(1, result.exitCode());
    assertTrue(
        result
            .out()
            .endsWith(
                """

                failed
                cli  FailedTest.wrong: expected: 1
                cli  FailedTest.broken: java.lang.NullPointerException

                2 passed, 2 failed, 0 skipped
                """),
        result.out());
  }

  @Test
  void namesTheTestsThatPassedOnlyWhenRunAgain() throws Exception {
    willReport("cli", "Passed", PASSED);
    willReport("cli", "Unsteady", UNSTEADY);
    Result result = checkout.launcher("test");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(
        result
            .out()
            .endsWith(
                """

                passed only when run again: each is a fault, of the test or of the code
                cli  UnsteadyTest.race: too late

                3 passed, 0 failed, 0 skipped
                """),
        result.out());
  }

  @Test
  void namesTheTenSlowestClassesOnly() throws Exception {
    for (int index = 10; index < 30; index++) {
      String name = "Test" + index;
      willReport("cli", name, PASSED.replace("PassedTest", name).replace("1,002.25", index + ".0"));
    }
    String out = checkout.launcher("test").out();
    assertTrue(out.contains("dev.tigris.cli.Test20     20.0"), out);
    assertFalse(out.contains("dev.tigris.cli.Test19"), out);
    assertTrue(out.endsWith("\n40 passed, 0 failed, 0 skipped\n"), out);
  }

  @Test
  void saysThatTheBuildFailedWithoutATest() throws Exception {
    checkout.environment.put("BROKEN", "yes");
    Result result = checkout.launcher("test");
    assertEquals(1, result.exitCode());
    assertEquals("", result.out());
    assertTrue(result.err().contains("no test failed, but the build did"), result.err());
  }

  @Test
  void saysWhichReportIsDamaged() throws Exception {
    willReport("cli", "Cut", PASSED.substring(0, 200));
    Result result = checkout.launcher("test");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("TEST-Cut.xml is damaged"), result.err());
  }

  @Test
  void helpsWithoutRunningATest() throws Exception {
    Result result = checkout.launcher("test", "--help");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.out().contains("Usage: tigris test"), result.out());
    assertEquals(List.of(), checkout.calls());
  }

  @Test
  void doesNotRunTheTestsInPlaceOfAHelpThatCannotBePrinted() throws Exception {
    var full =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    Context context = checkout.context(full, OutputStream.nullOutputStream());
    assertEquals(4, Main.run(context, List.of("test", "--help")));
    assertEquals(List.of(), checkout.calls());
  }

  @Test
  void passesOptionsToMavenAndKnowsTheTiers() throws Exception {
    checkout.launcher("test", "-pl", "memory");
    checkout.launcher("test", "--slow", "-Dtest=A");
    checkout.launcher("test", "--soak");
    assertEquals(
        List.of(
            "mvn -B -ntp verify -Dtests.again=1 -pl memory -T1C",
            "mvn -B -ntp verify -Dtests.again=1 -Pslow -Dtest=A -T1C",
            "mvn -B -ntp verify -Dtests.again=1 -Psoak -T1C"),
        checkout.calls());
    assertEquals(2, checkout.launcher("test", "--slow", "--soak").exitCode());
  }

  @Test
  void runsMavenForTheCaller() throws Exception {
    assertEquals(0, checkout.launcher("mvn", "-q", "validate").exitCode());
    assertEquals(List.of("mvn -B -ntp -q validate"), checkout.calls());
  }

  @Test
  void fuzzesForSomeTimeAndSomethingOnly() throws Exception {
    for (String[] line :
        new String[][] {
          {"test", "--fuzz"},
          {"test", "--fuzz", "0"},
          {"test", "--fuzz", "1", "NoSuch"}
        }) {
      assertEquals(2, checkout.launcher(line).exitCode(), String.join(" ", line));
    }
    assertEquals(List.of(), checkout.calls());
  }

  @Test
  void fuzzesTheTargetsWhoseNamesBeginSo() throws Exception {
    for (String name : List.of("ContainerFuzz", "FrameFuzz", "FrameFuzzTest")) {
      FakeCheckout.file(checkout.root.resolve("cli/src/test/java/a/b/" + name + ".java"));
    }
    Result result = checkout.launcher("test", "--fuzz", "7", "Fra");
    assertEquals(0, result.exitCode(), result.err());
    assertEquals("tigris: fuzzing FrameFuzz for 7 s\n", result.err());
    assertEquals(
        List.of(
            "mvn -B -ntp -q -pl cli -am process-test-classes",
            "mvn -B -ntp -q -N dependency:copy@fuzzer"),
        checkout.calls());
    assertTrue(Files.isDirectory(checkout.root.resolve("build/fuzz/FrameFuzz")));
    checkout.environment.put("BROKEN", "yes");
    assertEquals(1, checkout.launcher("test", "--fuzz", "7").exitCode());
  }
}
