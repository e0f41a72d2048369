package dev.tigris.verify.allocation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Operator;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A flow that has its waters makes nothing new, however many go through it.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SteadyStateTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WATERS = 60_000;

  /// When most waters have been made, and all code has run.
  private static final int WARM = 5_000;

  /// What the thread of one module allocates.
  private static final class Meter {
    private final List<Long> results;
    private int calls;
    private long before;

    Meter(List<Long> results) {
      this.results = results;
    }

    void call() {
      if (++calls == WARM) {
        before = THREADS.getCurrentThreadAllocatedBytes();
      }
    }

    void end() {
      long after = THREADS.getCurrentThreadAllocatedBytes();
      if (calls >= 3 * WARM) { // a replica that got little to do says nothing
        results.add(after - before);
      }
    }
  }

  private interface Metered extends Operator {
    Meter meter();

    @Override
    default void finish(Stream out) {
      meter().end();
    }
  }

  private static void put(Stream out, long number) {
    Water water = out.spring().createWater(Long.BYTES);
    water.bytes().setLong(0, number);
    out.put(water);
  }

  private record Counting(Meter meter) implements Metered, Source {
    @Override
    public boolean produce(Stream out) {
      meter.call();
      put(out, meter.calls);
      return meter.calls < WATERS;
    }
  }

  /// Passes on what came in, or something new.
  private record Passing(Meter meter) implements Metered, Module {
    @Override
    public void process(Water in, Stream out) {
      meter.call();
      if (meter.calls % 2 == 0) {
        out.put(in);
      } else {
        put(out, in.bytes().getLong(0));
      }
    }
  }

  private record Taking(Meter meter) implements Metered, Module {
    @Override
    public void process(Water in, Stream out) {
      meter.call();
    }
  }

  static List<Reservoir> balanced() {
    return List.of(
        Reservoir.roundRobin(),
        Reservoir.random(),
        Reservoir.lottery(),
        Reservoir.leastOutstanding());
  }

  @ParameterizedTest
  @MethodSource("balanced")
  void modulesAllocateNothingForAWater(Reservoir reservoir) throws Exception {
    run(reservoir); // loads what only the end of a flow needs
    List<Long> allocated = run(reservoir);
    assertTrue(allocated.size() >= 3, allocated.size() + " modules were measured");
    // Some of the window's waters may be made late; one object a call would be 160,000 bytes.
    assertTrue(allocated.stream().allMatch(bytes -> bytes < 64_000), "bytes: " + allocated);
  }

  private static List<Long> run(Reservoir reservoir) throws Exception {
    List<Long> allocated = new CopyOnWriteArrayList<>();
    Flow.named("steady")
        .source("count", () -> new Counting(new Meter(allocated)))
        .reservoir(reservoir)
        .stage("pass", () -> new Passing(new Meter(allocated)), 2)
        .reservoir(reservoir)
        .stage("take", () -> new Taking(new Meter(allocated)))
        .build()
        .start()
        .await();
    return allocated;
  }
}
