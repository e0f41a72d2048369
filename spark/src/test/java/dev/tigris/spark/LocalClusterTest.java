package dev.tigris.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.JavaSparkStatusTracker;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Flows in two executors that are processes, one of which is killed at a chosen moment. Spark's
/// master and workers are threads of this process.
@Slow("starts two executors, and others in the place of those that are killed")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LocalClusterTest {
  private static final int WORKERS = 2;

  private static final Executors EXECUTORS = new Executors();

  @TempDir private static Path spark;

  private static SparkContext context;

  @TempDir private Path folder;
  private Path out;
  private Path hold;

  @BeforeAll
  static void start() throws IOException {
    context = TestContext.ofExecutors(WORKERS, spark);
    context.addSparkListener(EXECUTORS);
  }

  @AfterAll
  static void stop() {
    context.stop();
    Wait.until("executors have ended", () -> processes().isEmpty());
  }

  @BeforeEach
  void makeFolder() throws IOException {
    out = Files.createDirectory(folder.resolve("out"));
    hold = folder.resolve("hold");
    Wait.until(
        "all executors are there", () -> EXECUTORS.areThere() && processes().size() == WORKERS);
  }

  private ClusterRun holds(String when) throws Exception {
    return FlowOnSpark.cluster(context, WORKERS)
        .withRuns(folder.resolve("runs"))
        .start(Holds.class, out.toString(), when, hold.toString());
  }

  @Test
  void sortsAreAsThoseOfOneProcess() throws Exception {
    Sorts.areAsInOneProcess(FlowOnSpark.cluster(context, WORKERS), folder);
  }

  @Test
  void anExecutorIsReplacedThatDiesBeforeItsWorkerHasJoined() throws Exception {
    ProcessHandle victim = processes().getFirst();
    signal("STOP", victim);
    ClusterRun run = holds("never");
    Wait.until("each has a task", () -> tasks() == WORKERS);
    EXECUTORS.kill(victim);
    expectOutputs(run, 2);
  }

  @Test
  void outputsOfAnExecutorThatDiesAfterTheDecisionGetTheirNames() throws Exception {
    ClusterRun run = holds("publish");
    EXECUTORS.kill(ProcessHandle.of(held()).orElseThrow());
    expectOutputs(run, 1);
  }

  /// Waits until a worker holds, and returns its process.
  private long held() throws IOException {
    Wait.until("a worker holds", () -> Files.exists(hold));
    return Long.parseLong(Files.readString(hold));
  }

  private void expectOutputs(ClusterRun run, int attempt) throws Exception {
    var _ = run.await();
    assertEquals(attempt, run.progress().attempt());
    List<Path> expected =
        IntStream.range(0, WORKERS).mapToObj(worker -> Holds.output(out, worker)).toList();
    try (Stream<Path> all = Files.list(out)) {
      assertEquals(expected, all.sorted().toList());
    }
    for (Path each : expected) {
      assertEquals(Holds.WATERS * Holds.WATER_BYTES, Files.size(each));
    }
    assertEquals(List.of(), OutputNote.in(run.folder().orElseThrow()));
  }

  private static int tasks() {
    JavaSparkStatusTracker tracker = JavaSparkContext.fromSparkContext(context).statusTracker();
    int tasks = 0;
    for (int stage : tracker.getActiveStageIds()) {
      SparkStageInfo info = tracker.getStageInfo(stage);
      tasks += info == null ? 0 : info.numActiveTasks();
    }
    return tasks;
  }

  /// Returns the processes of executors.
  private static List<ProcessHandle> processes() {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.isAlive() && each.info().command().orElse("").endsWith("java"))
        .toList();
  }

  /// The executors that Spark knows.
  private static final class Executors extends SparkListener {
    private int killed;
    private int removed;

    @Override
    public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved event) {
      removed++;
    }

    synchronized void kill(ProcessHandle process) {
      signal("KILL", process);
      killed++;
    }

    /// Returns whether there are as many as at first, none of which was killed.
    synchronized boolean areThere() {
      ResourceProfile usual = context.resourceProfileManager().defaultResourceProfile();
      return removed >= killed && context.maxNumConcurrentTasks(usual) == WORKERS;
    }
  }

  private static void signal(String name, ProcessHandle process) {
    String _ = Command.of("kill", "-" + name, String.valueOf(process.pid())).output();
  }
}
