package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A run that is drained ends well with what it was given, and its folder says so.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DrainedRunTest {
  @TempDir private Path runs;

  private void drains(Cluster cluster) throws Exception {
    ClusterRun run = cluster.start(Endless.class);
    Wait.until("waters flow", () -> run.progress().calls() > 100);
    run.drain();
    Results results = run.await();
    assertTrue(results.number("made") > 0);
    assertEquals(results.number("made"), results.number("came"));
    assertEquals(results.number("made sum"), results.number("came sum"));
    RunRecord record = RunRecord.of(run.folder().orElseThrow());
    assertEquals("done", record.outcome());
    assertEquals(results.numbers(), record.results());
  }

  @Test
  void onThreads() throws Exception {
    drains(Cluster.threads().withRuns(runs).withFolder());
  }

  @Slow("starts two JVMs")
  @Test
  void onProcesses() throws Exception {
    drains(Cluster.processes(2).withRuns(runs));
  }

  @Slow("starts two JVMs")
  @Test
  void aProcessThatIsLostMeanwhileFailsTheRun() throws Exception {
    Set<ProcessHandle> others = ProcessHandle.current().children().collect(Collectors.toSet());
    ClusterRun run = Cluster.processes(2).withRuns(runs).withAttempts(3).start(Endless.class);
    Wait.until("the workers start", () -> run.progress().phase() != RunProgress.Phase.STARTING);
    run.drain();
    ProcessHandle.current()
        .children()
        .filter(each -> !others.contains(each))
        .limit(1)
        .forEach(ProcessHandle::destroyForcibly);
    try {
      Results _ = run.await(); // it was quicker
    } catch (RunException e) {
      assertEquals(1, e.attempts());
      assertEquals("LOST", RunRecord.of(run.folder().orElseThrow()).ending().get(RunRecord.KIND));
    }
  }

  @Test
  void aRunOnThreadsHasAFolderOnlyIfItIsWanted() throws Exception {
    ClusterRun run = Cluster.threads().withRuns(runs).start(Endless.class);
    assertTrue(run.folder().isEmpty());
    run.cancel();
    assertThrows(CancellationException.class, run::await);
  }
}
