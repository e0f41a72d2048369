package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.demo.GrowingFlow;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.steering.ControlServer;
import dev.tigris.steering.RunClient;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Outcome;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that look at runs, and end them.
class SteeringCommandsTest {
  @TempDir private static Path classes;
  @TempDir private Path runs;
  private Shell shell;

  @BeforeAll
  static void compile() throws IOException {
    SumsProgram.compile(classes);
  }

  @BeforeEach
  void openShell() {
    shell = new Shell(runs);
  }

  private Path folderOf(String run, String facts, String ending) throws IOException {
    Path folder = Files.createDirectory(runs.resolve("20261129-000000-" + run));
    Files.writeString(folder.resolve("run"), "version=1\nrun=" + run + "\n" + facts);
    if (!ending.isEmpty()) {
      Files.writeString(folder.resolve("over"), "version=1\n" + ending);
    }
    return folder;
  }

  private void refuses(String line, ExitCode code, String why) {
    Shell.Result result = shell.run(line);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(why), result.err());
  }

  @Test
  void listsRunsThatAreOverAndTellsHow() throws IOException {
    String one = "0123456789abcdef0123456789abcdef";
    String other = "0a23456789abcdef0123456789abcdef";
    String hostile = "\u001b[2Jevil\u202e";
    folderOf(one, "program=a.B\narguments=" + hostile + "\n", "outcome=done\nresult.0=7 n\n");
    folderOf(other, "program=a.C\n", "outcome=failed: " + hostile + "\nkind=OUTPUT\n");
    assertTrue(shell.run("ps --runs @/").out().startsWith("No runs in "));
    String listed = shell.run("ps --all --runs @/").out();
    assertTrue(listed.contains("01234567  done"), listed);
    assertFalse(listed.contains("\u001b"), listed);
    assertTrue(listed.contains("\\x1b[2Jevil\\u{202e}"), listed);
    String shown = shell.run("show 01 --json --runs @/").out();
    assertTrue(shown.contains("\"results\":{\"n\":7}"), shown);
    assertEquals(ExitCode.OK, shell.run("show 01 --wait --runs @/").code());
    assertEquals(ExitCode.BAD_OUTPUT, shell.run("show 0a --wait --runs @/").code());
    refuses("show 0 --runs @/", ExitCode.BAD_INPUT, "give more digits");
    refuses("show f --runs @/", ExitCode.BAD_INPUT, "there is no run 'f'");
    refuses("top 01 --runs @/", ExitCode.FAILED, "is over: done");
    refuses("cancel 0a --runs @/", ExitCode.FAILED, "is over: failed");
  }

  @Test
  void printsTheLastLinesOfLogsWithoutTheirEscapes() throws IOException {
    Path folder = folderOf("0123456789abcdef0123456789abcdef", "", "outcome=done\n");
    Files.writeString(folder.resolve("worker-0.1.log"), "one\ntwo\n\u001b]0;title\u0007\n");
    Files.write(folder.resolve("worker-1.1.log"), new byte[] {'x', (byte) 0xff, '\n'});
    Shell.Result result = shell.run("logs 01 --lines 2 --runs @/");
    assertEquals(
        "==> worker-0.1.log\ntwo\n\\x1b]0;title\\x07\n==> worker-1.1.log\nx\ufffd\n",
        result.out(),
        result.err());
    String json = shell.run("logs 01 --process 0 --json --lines 1 --runs @/").out();
    assertEquals("{\"log\":\"worker-0.1.log\",\"line\":\"\\u001B]0;title\\u0007\"}\n", json);
    refuses("logs 01 --process 7 --runs @/", ExitCode.BAD_INPUT, "no log of process 7");
    refuses("logs 01 --lines 0 --runs @/", ExitCode.USAGE, "--lines 0");
  }

  /// The server has looked at the run once at most when it is asked, and knows no rates. The run is
  /// one of this process, which cannot find its own: so another folder has its address.
  @Test
  void oneLookWaitsUntilTheStagesAreKnownAndATapShowsWaters() throws Exception {
    Path other = folderOf("0123456789abcdef0123456789abcdef", "program=a.B\n", "");
    ClusterRun run =
        Cluster.threads().withRuns(runs.resolve("own")).withFolder().start(GrowingFlow.class);
    try (ControlServer _ = ControlServer.start(run)) {
      Path own = run.folder().orElseThrow().resolve(RunRecovery.API);
      Files.copy(own, other.resolve(RunRecovery.API), StandardCopyOption.COPY_ATTRIBUTES);
      Shell.Result top = shell.run("top 01 --once --runs @/");
      assertTrue(top.out().matches("(?s).*\nwork +2 +[1-9].*"), top.out() + top.err());
      Shell.Result edges = shell.run("top 01 --edges --replicas --once --runs @/");
      assertTrue(
          edges.out().matches("(?s).*\nmake > work +2 +[1-9].*\n  \\[1\\] +[1-9].*"),
          edges.out() + edges.err());
      Shell.Result tap = shell.run("tap 01 count --count 3 --bytes 4 --runs @/");
      assertEquals(3, tap.out().lines().count(), tap.err());
      assertTrue(tap.out().matches("(?s)work\\[[01]\\] #[0-9,]+  8 bytes  .*"), tap.out());
      Shell.Result json = shell.run("tap 01 work --count 1 --json --runs @/");
      assertTrue(json.out().contains("\"stage\":\"make\""), json.out() + json.err());
      refuses("tap 01 add --runs @/", ExitCode.FAILED, "there are [work, count]");
      refuses("tap 01 work --rate 0 --runs @/", ExitCode.USAGE, "--rate 0");
      refuses("tap 01 work --rate 1 --all --runs @/", ExitCode.USAGE, "not both");
    } finally {
      run.cancelAndAwait();
    }
  }

  private static RunClient client(Path folder) {
    RunClient[] found = new RunClient[1];
    Wait.until(
        "the API is served",
        () -> {
          try {
            found[0] = RunClient.of(folder);
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    return found[0];
  }

  private static void change(RunClient client, int number, String path, Map<String, ?> more)
      throws IOException {
    Map<String, Object> body = new LinkedHashMap<>(more);
    body.put("request", "r" + number);
    body.put("revision", (long) number);
    RunClient.Reply reply = client.post("/api/v1/" + path, body);
    assertTrue(reply.isWell(), reply.members()::toString);
  }

  @Test
  void aClientGrowsAFlowFromTheClassesOfAJar() throws Exception {
    Path jar = classes.resolve("sums.jar");
    String line = "run %s --grow @/draft --runs @/all".formatted(jar);
    refuses(line + " --detach", ExitCode.USAGE, "--detach is not for --grow");
    CompletableFuture<Shell.Result> ended = CompletableFuture.supplyAsync(() -> shell.run(line));
    RunClient client = client(runs.resolve("draft"));
    Map<String, Object> module =
        Map.of("name", "count", "class", "sums.Sums$Numbers", "replicas", 2L, "arguments", 10L);
    change(client, 1, "modules", module);
    change(client, 2, "seal", Map.of());
    change(client, 3, "start", Map.of());
    Shell.Result result = ended.get(60, TimeUnit.SECONDS);
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("numbers 20\n", result.out(), result.err());
    assertTrue(result.err().contains("draft/api"), result.err());
  }

  @Slow("makes keys by processes of their own")
  @Test
  void aRunOfAnotherHostIsSteeredWithAKey() throws Exception {
    Path key = HostKeys.init(runs.resolve("keys")).coordinator("coordinator", 1);
    ClusterRun run =
        Cluster.threads().withRuns(runs.resolve("own")).withFolder().start(GrowingFlow.class);
    try (ControlServer server = ControlServer.start(run)) {
      URI address = server.listen("127.0.0.1", 0, key);
      String at = " --server %s --key %s".formatted(address, key);
      Shell.Result top = shell.run("top GrowingFlow --once" + at);
      assertTrue(top.out().matches("(?s).*\nwork +2 +[1-9].*"), top.out() + top.err());
      Shell.Result resized = shell.run("resize GrowingFlow work 3" + at);
      assertEquals("Stage work has 3 replicas\n", resized.out(), resized.err());
      refuses("stop Other" + at, ExitCode.BAD_INPUT, "and not 'Other'");
      refuses("stop x --server http://h:1", ExitCode.BAD_INPUT, "is no server");
      assertEquals(ExitCode.OK, shell.run("stop GrowingFlow" + at).code());
      assertEquals(run.await().number(GrowingFlow.CAME), run.await().number(GrowingFlow.MADE));
    } finally {
      run.cancelAndAwait();
    }
  }

  private Outcome tigris(String... words) {
    return OwnProcess.command(classes, "-Dx=y", Redirect.PIPE, words)
        .environment("XDG_STATE_HOME", runs.toString())
        .run();
  }

  @Slow("starts five JVMs")
  @Test
  void aDetachedRunGoesOnAndEndsWellWhenItIsStopped() throws Exception {
    tigris("run", "sums.jar", "--detach", "--on", "processes:2", "--", "-1").expect(0);
    Path all = runs.resolve("tigris").resolve("runs");
    RunRecord run = RunRecord.in(all).getFirst();
    assertEquals(RunRecord.State.RUNNING, run.state());
    ProcessHandle supervisor =
        ProcessHandle.of(Long.parseLong(run.facts().get("process"))).orElseThrow();
    String option = " --runs " + all;
    Wait.until("the modules run", () -> shell.run("ps" + option).out().contains("running"));
    String top = shell.run("top Sums --once" + option).out();
    assertTrue(top.contains("count") && top.contains("running"), top);
    String edges = shell.run("top Sums --edges --once" + option).out();
    assertTrue(edges.contains("running") && edges.contains("\nEDGE "), edges);
    Shell.Result stopped = shell.run("stop Sums" + option);
    assertEquals(ExitCode.OK, stopped.code(), stopped.err());
    Shell.Result shown = shell.run("show %s --wait%s".formatted(run.run(), option));
    assertEquals(ExitCode.OK, shown.code(), shown.out());
    assertTrue(shown.out().contains("numbers="), shown.out());
    Wait.until("the supervisor ends", () -> !supervisor.isAlive());
    assertTrue(Files.exists(run.folder().resolve("history.json")));
  }

  @Slow("starts two JVMs")
  @Test
  void aDetachedRunThatCannotStartFails() throws Exception {
    Outcome outcome = tigris("run", "sums.jar", "--detach", "ten");
    outcome.expect(ExitCode.FAILED.number());
    assertTrue(
        Files.readString(classes.resolve("err")).contains("cannot describe its flow"),
        () -> outcome.output());
    assertEquals(List.of(), RunRecord.in(runs.resolve("tigris").resolve("runs")));
  }
}
