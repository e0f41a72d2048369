package dev.tigris.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// Modules that tests are put together from. A water of theirs holds one or more longs.
final class Numbers {
  private Numbers() {}

  /// Puts the numbers from `first` up to, not including, `end`, one in each water. The replicas of
  /// a stage share the numbers out among themselves.
  static Supplier<Source> counting(long first, long end) {
    return () ->
        new Source() {
          private long next = first;
          private int step = 1;

          @Override
          public void init(ModuleContext context) {
            next += context.replica();
            step = context.replicas();
          }

          @Override
          public boolean produce(Stream out) {
            if (next < end) {
              put(out, next);
              next += step;
            }
            return next < end;
          }
        };
  }

  static void put(Stream out, long number) {
    Water water = out.spring().createWater(Long.BYTES);
    water.bytes().setLong(0, number);
    out.put(water);
  }

  static long number(Water water) {
    return water.bytes().getLong(0);
  }

  /// Collects the numbers of all its replicas.
  static final class Collected {
    private final List<Long> numbers = new ArrayList<>();

    Supplier<Module> module() {
      return () -> (in, out) -> add(number(in));
    }

    synchronized void add(long number) {
      numbers.add(number);
    }

    synchronized List<Long> sorted() {
      return numbers.stream().sorted().toList();
    }

    synchronized int count() {
      return numbers.size();
    }
  }

  /// Counts how often it is told to finish.
  record Finishing(AtomicInteger finished) implements Module {
    @Override
    public void process(Water in, Stream out) {
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      finished.incrementAndGet();
    }
  }

  /// Runs a flow to its end.
  static FlowSnapshot run(Flow flow) throws Exception {
    FlowRun run = flow.start();
    run.await();
    return run.snapshot();
  }
}
