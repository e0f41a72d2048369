package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A stage is resized while waters flow, in one process and in two: each water comes once.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ResizedRunTest {
  @TempDir private Path runs;

  private static long working(ClusterRun run, String stage) {
    return run.progress().replicas().stream()
        .filter(each -> each.state().stage().equals(stage) && !each.state().isEnded())
        .count();
  }

  private static void resizes(ClusterRun run) throws Exception {
    Wait.until("waters flow", () -> run.progress().calls() > 100);
    for (int count : new int[] {4, 1, 3}) {
      run.resize("work", count).get(60, TimeUnit.SECONDS);
      Wait.until("so many work", () -> working(run, "work") == count);
      assertEquals("", run.waitsFor());
      long calls = run.progress().calls();
      Wait.until("waters flow on", () -> run.progress().calls() > calls + 100);
    }
    run.resize("add", 3).get(60, TimeUnit.SECONDS);
    assertThrows(ExecutionException.class, () -> run.resize("make", 3).get(60, TimeUnit.SECONDS));
    run.drain();
    Results results = run.await();
    assertTrue(results.number("made") > 0);
    assertEquals(results.number("made"), results.number("came"));
    assertEquals(results.number("made sum"), results.number("came sum"));
    assertThrows(ExecutionException.class, () -> run.resize("work", 3).get(60, TimeUnit.SECONDS));
  }

  @Test
  void onThreads() throws Exception {
    resizes(Cluster.threads().start(Endless.class));
  }

  @Slow("starts two JVMs")
  @Test
  void onProcesses() throws Exception {
    resizes(Cluster.processes(2).withRuns(runs).start(Endless.class));
  }
}
