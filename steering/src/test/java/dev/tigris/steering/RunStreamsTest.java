package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Results;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A second program takes part in a run by its folder.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RunStreamsTest {
  private static final Schema CARRIED = Schema.of(Amount.class);

  @TempDir private Path runs;

  /// What waters hold.
  public static final class Amount extends Pso {
    /// The number.
    public long value;

    /// Opens it.
    public Amount(Container container) {
      super(container);
    }
  }

  /// What they do not hold.
  public static final class Other extends Pso {
    /// Another number.
    public int value;

    /// Opens it.
    public Other(Container container) {
      super(container);
    }
  }

  /// Puts numbers until it is drained, and adds them up.
  public static final class Totals implements FlowProgram {
    @Override
    public Flow describe(Arguments arguments) {
      return Flow.named("totals")
          .source("make", Maker::new, 2)
          .reservoir(Reservoir.leastOutstanding().carrying(CARRIED))
          .stage("work", () -> (in, out) -> out.put(in), 2)
          .reservoir(Reservoir.lottery())
          .stage("add", Adder::new, 2)
          .build();
    }
  }

  /// Helps a run, whose folder is its argument.
  public static final class Helping implements FlowProgram {
    @Override
    public Flow describe(Arguments arguments) {
      RunStreams run = RunStreams.of(Path.of(arguments.word(0))).expecting("work", CARRIED);
      return Flow.named("helping")
          .stage("take", () -> (in, out) -> out.put(in), 2)
          .feed("take", run.taking("work"))
          .reservoir(Reservoir.lottery())
          .stage("help", Passing::new, 3)
          .drain("help", run.giving("add"))
          .build();
    }
  }

  private static final class Maker implements Source {
    private @Nullable ModuleContext context;
    private long count;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(Long.BYTES);
      water.bytes().setLong(0, count++);
      out.put(water);
      return true;
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add("made", count);
      Objects.requireNonNull(context).results().add("made sum", count * (count - 1) / 2);
    }
  }

  private static final class Passing implements Module {
    private @Nullable ModuleContext context;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      Objects.requireNonNull(context).results().add("helped", 1);
      out.put(in);
    }
  }

  private static final class Adder implements Module {
    private @Nullable ModuleContext context;
    private long count;
    private long sum;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      count++;
      sum += in.bytes().getLong(0);
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add("came", count);
      Objects.requireNonNull(context).results().add("came sum", sum);
    }
  }

  private static long helped(ClusterRun run) {
    return run.progress().results().numbers().getOrDefault("helped", 0L);
  }

  private static void helps(ClusterRun run, Cluster helpers) throws Exception {
    String folder = run.folder().orElseThrow().toString();
    try (ControlServer _ = ControlServer.start(run)) {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      ClusterRun first = helpers.start(Helping.class, folder);
      Wait.until("it helps", () -> helped(first) > 1000 || first.isDone());
      first.drain();
      assertTrue(first.await().number("helped") > 1000);
      ClusterRun second = helpers.start(Helping.class, folder);
      Wait.until("it helps", () -> helped(second) > 1000 || second.isDone());
      run.drain(); // which ends the second program, too
      var _ = second.await();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
      assertEquals(results.number("made sum"), results.number("came sum"));
    } finally {
      run.cancelAndAwait();
    }
  }

  @Test
  void onThreads() throws Exception {
    helps(Cluster.threads().withRuns(runs).withFolder().start(Totals.class), Cluster.threads());
  }

  @Slow("starts eight JVMs")
  @Test
  void onProcesses() throws Exception {
    helps(
        Cluster.processes(2).withRuns(runs).start(Totals.class),
        Cluster.processes(2).withRuns(runs));
  }

  private static Set<ProcessHandle> children() {
    return ProcessHandle.current().children().collect(Collectors.toSet());
  }

  /// The waters that it had are lost. So the run begins again, without it, and loses nothing.
  @Slow("starts JVMs, and kills one")
  @Test
  void aProgramThatIsKilledCostsAnAttempt() throws Exception {
    ClusterRun run = Cluster.processes(2).withRuns(runs).withAttempts(2).start(Totals.class);
    try (ControlServer _ = ControlServer.start(run)) {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      Set<ProcessHandle> before = children();
      ClusterRun helper =
          Cluster.processes(2)
              .withRuns(runs)
              .withAttempts(1)
              .start(Helping.class, run.folder().orElseThrow().toString());
      Wait.until("it helps", () -> helped(helper) > 1000 || helper.isDone());
      Set<ProcessHandle> its = children();
      its.removeAll(before);
      assertTrue(its.iterator().next().destroyForcibly());
      assertThrows(RunException.class, helper::await);
      Wait.until("it begins again", () -> run.progress().attempt() == 2);
      Wait.until("waters flow again", () -> run.progress().calls() > 100);
      run.drain();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
      assertEquals(results.number("made sum"), results.number("came sum"));
    } finally {
      run.cancelAndAwait();
    }
  }

  private static String refusal(RunStreams streams, String reservoir) {
    Flow flow =
        Flow.named("refused")
            .stage("m", () -> (in, out) -> {})
            .feed("m", streams.taking(reservoir))
            .build();
    return assertThrows(FlowException.class, () -> flow.start().await()).getMessage();
  }

  @Test
  void aProgramThatExpectsOtherObjectsIsRefused() throws Exception {
    ClusterRun run = Cluster.threads().withRuns(runs).withFolder().start(Totals.class);
    Path folder = run.folder().orElseThrow();
    Schema other = Schema.of(Other.class);
    try (ControlServer _ = ControlServer.start(run)) {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      String why = refusal(RunStreams.of(folder).expecting("work", other), "work");
      assertTrue(why.contains("$Amount") && why.contains("$Other"), why);
      why = refusal(RunStreams.of(folder).expecting("add", other), "add");
      assertTrue(why.contains("does not say"), why);
      why = refusal(RunStreams.of(folder), "nothing");
      assertTrue(why.contains("there is no reservoir 'nothing'"), why);
    } finally {
      run.cancelAndAwait();
    }
    String why = refusal(RunStreams.of(folder), "work");
    assertTrue(why.contains("is over, or has no control API"), why);
  }
}
