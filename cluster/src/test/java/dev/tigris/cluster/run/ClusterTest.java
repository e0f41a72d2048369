package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Programs that this JVM runs, on threads and on processes that are started as it was.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClusterTest {
  private static final String COUNT = "5000";

  @TempDir private Path runs;

  private Cluster processes(int count) {
    return Cluster.processes(count).withRuns(runs);
  }

  private static void requireNothingLeft() {
    List<String> children =
        ProcessHandle.current()
            .children()
            .filter(each -> each.info().commandLine().orElse("").contains("cluster.run.Main"))
            .map(ProcessHandle::toString)
            .toList();
    assertEquals(List.of(), children);
  }

  @Test
  void aProgramHasEqualResultsOnThreadsAndOnProcesses() throws Exception {
    Results threads = Cluster.threads().start(Sums.class, COUNT).await();
    ClusterRun run = processes(2).start(Sums.class, COUNT);
    Results results = run.await();
    assertEquals(Sums.expected(5000), threads.number("sum"));
    assertEquals(threads.numbers(), results.numbers());
    assertTrue(run.isDone());
    assertEquals(RunProgress.Phase.OVER, run.progress().phase());
    assertEquals(1, run.progress().attempt());
    requireNothingLeft();
    try (Stream<Path> files = Files.list(run.folder().orElseThrow())) {
      List<String> names = files.map(each -> each.getFileName().toString()).sorted().toList();
      assertEquals(List.of("decision", "over", "run", "worker-0.1.log", "worker-1.1.log"), names);
    }
  }

  @Test
  void aModuleThatThrowsEndsTheRunWithItsCauseAndPlace() throws Exception {
    ClusterRun run = processes(2).withAttempts(3).start(Sums.class, COUNT, "throws", "777");
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.MODULE, failure.kind(), failure::toString);
    assertEquals(1, failure.attempts());
    assertTrue(failure.getMessage().contains("stage add"), failure.getMessage());
    RemoteException cause = assertInstanceOf(RemoteException.class, failure.getCause());
    assertEquals(IllegalArgumentException.class.getName(), cause.className());
    assertEquals("java.lang.IllegalArgumentException: the number 777 is bad", cause.getMessage());
    assertEquals("process", cause.getStackTrace()[0].getMethodName());
    requireNothingLeft();
  }

  @Test
  void aProgramThatCannotBeDescribedStartsNothing() {
    RunException failure =
        assertThrows(RunException.class, () -> processes(2).start(Sums.class, COUNT, "fails"));
    assertEquals(RunException.Kind.PROGRAM, failure.kind());
    assertTrue(failure.getMessage().contains("no such fault"), failure.getMessage());
    requireNothingLeft();
  }

  @Test
  void aClassWithoutANameIsRefused() {
    FlowProgram anonymous =
        new FlowProgram() {
          @Override
          public Flow describe(Arguments arguments) {
            throw new IllegalStateException();
          }
        };
    assertThrows(
        IllegalArgumentException.class, () -> processes(2).start(anonymous.getClass(), COUNT));
  }

  @Slow("starts two JVMs, and waits for the first waters")
  @Test
  void aCancelledRunEndsAllProcesses() throws Exception {
    Path hangs = runs.resolve("hangs");
    ClusterRun run = processes(2).start(Sums.class, COUNT, "hangs", hangs.toString());
    assertFalse(run.await(Duration.ofMillis(1)));
    Wait.until("the source hangs", () -> Files.exists(hangs));
    run.cancel();
    assertThrows(CancellationException.class, run::await);
    requireNothingLeft();
  }

  @Slow("starts two JVMs for each run")
  @Soak("fifty runs")
  @Test
  void oneProgramRunsManyTimesInOneJvm() throws Exception {
    for (int i = 0; i < Tier.choose(3, 50); i++) {
      assertEquals(
          Sums.expected(5000), processes(2).start(Sums.class, COUNT).await().number("sum"));
    }
    requireNothingLeft();
  }

  @Slow("starts four JVMs")
  @Test
  void twoRunsGoOnAtOnce() throws Exception {
    ClusterRun one = processes(2).start(Sums.class, COUNT);
    ClusterRun other = processes(2).start(Sums.class, "6000");
    assertEquals(Sums.expected(5000), one.await().number("sum"));
    assertEquals(Sums.expected(6000), other.await().number("sum"));
    requireNothingLeft();
  }

  @Slow("starts two JVMs")
  @Test
  void processesThatDescribeOtherFlowsAreRefused() throws Exception {
    ClusterRun run = processes(2).withAttempts(2).start(Sums.class, COUNT, "differs");
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.DIFFERENCE, failure.kind(), failure::toString);
    assertTrue(failure.getMessage().contains("stage add"), failure.getMessage());
    assertEquals(1, failure.attempts());
    requireNothingLeft();
  }

  @Test
  void wrongNumbersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Cluster.processes(0));
    assertThrows(IllegalArgumentException.class, () -> processes(1).withAttempts(0));
    assertThrows(
        IllegalArgumentException.class, () -> processes(1).withHangLimit(Duration.ofMillis(10)));
  }
}
