package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Module;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What is told of programs whose modules share state, and where programs place replicas.
class SharedStateTest {
  private static final LongAdder TOTAL = new LongAdder();
  private static final Map<String, Long> COUNTS = new HashMap<>();
  private static final Map<String, Long> TABLE = new HashMap<>(Map.of("one", 1L));
  private static final long[] BUCKETS = new long[8];
  private static final int[] SQUARES = {0, 1, 4};
  private static final Pattern NAME = Pattern.compile("[a-z]+");
  private static final TimeUnit UNIT = TimeUnit.SECONDS;
  private static int latest;

  /// A module with each fault, some of them in methods that it calls.
  private static final class Faulty implements Module {
    private final AtomicLong shared;

    Faulty(AtomicLong shared) {
      this.shared = shared;
    }

    @Override
    public void process(Water in, Stream out) {
      shared.addAndGet(SQUARES[2] + TABLE.get("one"));
      Adds.add(in.size());
      Runnable later = () -> latest = 7;
      later.run();
    }
  }

  private static final class Adds {
    static void add(long size) {
      TOTAL.add(size);
      BUCKETS[(int) (size & 7)]++;
      COUNTS.merge(NAME.pattern(), UNIT.toNanos(1), Long::sum);
    }
  }

  private static final class Nothing implements Source {
    @Override
    public boolean produce(Stream out) {
      return false;
    }
  }

  /// A program with each fault.
  public static final class FaultyProgram implements FlowProgram {
    /// Makes the program.
    public FaultyProgram() {}

    @Override
    public Flow describe(Arguments arguments) {
      AtomicLong sum = new AtomicLong();
      return Flow.named("faulty")
          .source("nothing", Nothing::new)
          .reservoir(Reservoir.roundRobin())
          .stage("add", () -> new Faulty(sum), 4)
          .build();
    }

    @Override
    public Placement place(FlowGraph graph, Arguments arguments) {
      return Placement.spread(graph, arguments.processes()).with("add", 1, 2);
    }
  }

  @Test
  void stateThatModulesShareIsNamed() {
    List<String> warnings = SharedState.warnings(FaultyProgram.class);
    for (String each : List.of(".TOTAL", ".COUNTS", ".BUCKETS", ".latest")) {
      assertTrue(
          warnings.stream().anyMatch(warning -> warning.contains("SharedStateTest" + each)),
          () -> each + " in " + warnings);
    }
    assertTrue(warnings.stream().anyMatch(each -> each.contains("AtomicLong")), warnings::toString);
    assertEquals(5, warnings.size(), warnings::toString);
  }

  @Test
  void programsThatTellResultsAreNotBlamed() {
    assertEquals(List.of(), SharedState.warnings(Sums.class));
    assertEquals(List.of(), SharedState.warnings(Writes.class));
  }

  private static Arguments looking(int processes) {
    return Arguments.looking(
        List.of(), processes, processes, 0, Instant.EPOCH, new FilePlaces.OneHost(processes));
  }

  @Test
  void aProgramPlacesItsReplicas() throws Exception {
    Described described = Programs.describe(FaultyProgram.class, looking(3));
    assertEquals(List.of(1, 2, 1, 2), described.places().get("add"));
    assertEquals(1, described.placement().process(new Operation.End("add", 2)));
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Programs.describe(FaultyProgram.class, looking(2)));
    assertTrue(refused.getMessage().contains("add[1]"), refused::getMessage);
  }
}
