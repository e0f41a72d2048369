package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A run both of whose processes are this JVM, as the training run of an AOT cache has it.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RehearsalTest {
  @TempDir private Path runs;

  @Test
  void goesThroughAWholeRun() throws Exception {
    ClusterRun run = Cluster.rehearsal().withRuns(runs).start(Sums.class, "200");
    assertEquals(Sums.expected(200), run.await().number("sum"));
    Path folder = run.folder().orElseThrow();
    assertTrue(Files.exists(folder.resolve("decision")) && Files.exists(folder.resolve("over")));
  }
}
