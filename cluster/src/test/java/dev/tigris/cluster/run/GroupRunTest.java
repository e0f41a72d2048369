package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Groups that runs start, on threads and on processes.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GroupRunTest {
  /// On a busy machine, three JVMs take long to start.
  private static final Duration LONGEST_START = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private Cluster processes(int count) {
    return Cluster.processes(count).withRuns(folder.resolve("runs"));
  }

  @Test
  void membersOnThreadsTellResults() throws Exception {
    Results results = Cluster.threads().group(3, Sharing.class, "adds").await();
    assertEquals(6, results.number("sum"));
    assertEquals(3, results.number("members"));
  }

  @Test
  void aMemberOnAThreadThatThrowsFailsTheRunWithItsCause() throws Exception {
    ClusterRun run = Cluster.threads().group(2, Sharing.class, "throws");
    RunException failure = assertThrows(RunException.class, run::await);
    assertTrue(failure.toString().contains("does not like it"), failure::toString);
  }

  @Test
  void membersOnProcessesTellResults() throws Exception {
    Results results = processes(2).group(Sharing.class, "adds").await();
    assertEquals(3, results.number("sum"));
    assertEquals(2, results.number("members"));
  }

  @Slow("starts two JVMs")
  @Test
  void severalMembersShareAProcess() throws Exception {
    Results results = processes(2).group(5, Sharing.class, "adds").await();
    assertEquals(15, results.number("sum"));
    assertEquals(5, results.number("members"));
  }

  @Slow("starts two JVMs")
  @Test
  void aMemberOnAProcessThatThrowsFailsTheRunWithItsCause() throws Exception {
    ClusterRun run = processes(2).withAttempts(2).group(Sharing.class, "throws");
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.MODULE, failure.kind());
    assertTrue(failure.toString().contains("does not like it"), failure::toString);
    assertEquals(1, run.progress().attempt());
  }

  /// `LostMemberTest` kills a member in each call.
  @Slow("starts three JVMs")
  @Test
  void aKilledMemberEndsAllWithItsName() throws Exception {
    requireLost("barrier", "KILL");
  }

  @Slow("waits for the hang limit")
  @ParameterizedTest
  @ValueSource(strings = {"barrier", "allReduce"})
  void aStoppedMemberEndsAllWithItsName(String call) throws Exception {
    requireLost(call, "STOP");
  }

  @Soak("the calls that the slow tier does not have: all wait in one of two ways")
  @ParameterizedTest
  @ValueSource(strings = {"broadcast", "reduce", "gather", "allGather", "scatter", "allToAll"})
  void aStoppedMemberEndsAllWhateverTheyDo(String call) throws Exception {
    requireLost(call, "STOP");
  }

  private void requireLost(String call, String signal) throws Exception {
    Path file = folder.resolve("pid");
    ClusterRun run =
        processes(3)
            .withHangLimit(Duration.ofSeconds(3))
            .group(Sharing.class, "dies", file.toString(), call);
    Wait.until(
        () -> "member 1 waits", LONGEST_START, () -> Files.exists(file) && Files.size(file) > 0);
    String pid = Files.readString(file);
    String _ = Command.of("kill", "-" + signal, pid).output();
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.LOST, failure.kind());
    assertTrue(failure.toString().contains("worker 1"), failure::toString);
    assertFalse(
        ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::isAlive).orElse(false), pid);
  }
}
