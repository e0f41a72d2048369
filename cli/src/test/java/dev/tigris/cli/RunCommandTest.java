package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris run` and `tigris plan`, with a program that is compiled here, as a user's is.
class RunCommandTest {
  @TempDir private static Path classes;
  @TempDir private Path folder;
  private Shell shell;

  @BeforeAll
  static void compile() throws IOException {
    SumsProgram.compile(classes);
  }

  @BeforeEach
  void openShell() {
    shell = new Shell(classes);
  }

  private void refuses(String line, ExitCode code, String why) {
    Shell.Result result = shell.run(line);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(why), result.err());
  }

  @Test
  void runsTheProgramOfAJarAndPrintsItsResults() {
    Shell.Result result = shell.run("run @/sums.jar 1000");
    assertEquals("numbers 2000\n", result.out(), result.err());
    assertEquals(ExitCode.OK, result.code());
  }

  @Test
  void runsTheProgramOfAFolderAndPrintsOneObject() {
    String out = shell.run("run --json --program sums.Sums @/ 10").out();
    assertTrue(out.startsWith("{\"command\":\"run\",\"status\":\"ok\""), out);
    assertTrue(out.contains("\"results\":{\"numbers\":20}"), out);
  }

  @Test
  void refusesWhatIsNoProgram() {
    refuses("run @/nothing.jar", ExitCode.BAD_INPUT, "nothing.jar");
    refuses("run @/", ExitCode.USAGE, "--program");
    refuses("run @/sums.jar --program sums.Nothing", ExitCode.BAD_INPUT, "no class sums.Nothing");
    refuses("run @/sums.jar --program sums.Sums$Numbers", ExitCode.BAD_INPUT, "is no program");
    refuses("run @/sums.jar ten", ExitCode.FAILED, "cannot describe its flow");
    refuses("run @/sums.jar --on mars", ExitCode.USAGE, "--on mars");
    refuses("run @/sums.jar --on processes:0", ExitCode.USAGE, "0 processes");
  }

  @Slow("starts two JVMs")
  @Test
  void plansAndFindsADescriptionThatDependsOnItsProcess() {
    Child plan = tigris("plan", "sums.jar", "10", "--on", "processes:2");
    assertTrue(String.valueOf(plan.nextLine()).startsWith("flow sums, fingerprint "));
    plan.expectLine("source count: 2 replicas, in process 0 1").outcome().expect(0);
    tigris("plan", "sums.jar", "10", "--", "--differs").outcome().expect(ExitCode.FAILED.number());
  }

  private Child tigris(String... words) {
    return OwnProcess.command(classes, "-Dx=y", Redirect.PIPE, words)
        .environment("XDG_STATE_HOME", folder.toString())
        .start();
  }

  @Test
  void runsAGroupOnThreads() {
    Shell.Result result =
        shell.run("run @/sums.jar --program sums.Sums$Ranks --group 3 --on threads");
    assertEquals("ranks 3\n", result.out(), result.err());
  }

  @Test
  void refusesAFlowAsAGroupAndAGroupAsAFlow() {
    refuses("run @/sums.jar --group 2", ExitCode.BAD_INPUT, "leave --group out");
    refuses("run @/sums.jar --program sums.Sums$Ranks", ExitCode.BAD_INPUT, "by --group N");
    refuses("run @/sums.jar --program sums.Sums$Ranks --group 0", ExitCode.USAGE, "0 processes");
  }

  @Slow("starts three JVMs")
  @Test
  void runsAGroupOnProcesses() {
    tigris("run", "sums.jar", "word", "--program", "sums.Sums$Ranks", "--group", "2")
        .expectLine("ranks 3")
        .outcome()
        .expect(0);
  }

  @Slow("starts three JVMs")
  @Test
  void runsOnProcesses() {
    tigris("run", "sums.jar", "1000", "--on", "processes:2")
        .expectLine("numbers 2000")
        .outcome()
        .expect(0);
  }

  @Slow("starts thirteen JVMs")
  @Test
  void theDemoIsTriedAgainAfterAProcessIsKilled() {
    String printed =
        OwnProcess.command(
                folder, "-Dtigris.home=" + folder, Redirect.PIPE, "demo", "cluster", "--quick")
            .run()
            .expect(0)
            .output();
    assertTrue(printed.contains("attempt 2 has ended well"), printed);
    assertEquals(3, printed.split("1,600 waters in all", -1).length, printed);
  }

  @Slow("starts three JVMs")
  @Test
  void ctrlCEndsAllProcesses() throws IOException {
    assumeFalse(Signal.INT.isIgnored(), "this process ignores the signal");
    Child run = tigris("run", "sums.jar", "--on", "processes:2", "--progress", "--", "-1");
    Wait.until("two workers run", () -> run.handle().children().count() == 2);
    List<ProcessHandle> workers = run.handle().children().toList();
    run.send(Signal.INT);
    run.outcome().expect(ExitCode.INTERRUPTED.number());
    String told = Files.readString(classes.resolve("err"));
    assertTrue(told.contains("tigris: stopped; nothing was left behind"), told);
    for (ProcessHandle worker : workers) {
      Wait.until(() -> worker + " ends", Duration.ofSeconds(5), () -> !worker.isAlive());
    }
  }
}
