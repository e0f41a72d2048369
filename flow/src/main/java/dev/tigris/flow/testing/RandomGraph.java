package dev.tigris.flow.testing;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Graphs of up to three sources and five stages, joined at random by reservoirs of random policies
/// and windows, the modules of which do with waters all that they may. Each number arrives once.
final class RandomGraph {
  static final String PREFIX = "random graph ";
  private static final int NUMBERS = 100;

  private RandomGraph() {}

  static PartContract.Check check(long seed) {
    int sources = new SplittableRandom(seed).nextInt(1, 4);
    return new PartContract.Check(
        PREFIX + seed,
        (name, report, folder) -> flow(seed, report),
        (folder, report) -> {},
        (folder, report) -> PartContract.requireNumbers(report, (long) sources * NUMBERS));
  }

  private static Flow flow(long seed, PartReport report) {
    SplittableRandom random = new SplittableRandom(seed);
    Flow.Builder builder = Flow.named("random").seed(seed);
    int sources = random.nextInt(1, 4);
    int stages = random.nextInt(1, 6);
    List<List<String>> outputs = new ArrayList<>();
    for (int i = 0; i < sources + stages; i++) {
      outputs.add(new ArrayList<>());
    }
    for (int stage = sources; stage < sources + stages; stage++) {
      for (int from = 0; from < stage; from++) {
        boolean isNeeded = from == stage - 1 || (stage == sources && from < sources);
        if (isNeeded || random.nextInt(3) == 0) {
          outputs.get(from).add("s" + stage);
          builder.connect("s" + from, "s" + stage, reservoir(random));
        }
      }
    }
    for (int i = 0; i < sources; i++) {
      List<String> names = outputs.get(i);
      long first = (long) i * NUMBERS;
      builder.source("s" + i, () -> new Counting(names, first), random.nextInt(1, 4));
    }
    for (int i = sources; i < sources + stages; i++) {
      List<String> names = outputs.get(i);
      builder.stage("s" + i, () -> new Passing(names, report), random.nextInt(1, 4));
    }
    return builder.build();
  }

  private static Reservoir reservoir(SplittableRandom random) {
    Reservoir reservoir =
        switch (random.nextInt(5)) {
          case 0 -> Reservoir.roundRobin();
          case 1 -> Reservoir.random();
          case 2 -> Reservoir.lottery();
          case 3 -> Reservoir.leastOutstanding();
          default -> Reservoir.routed();
        };
    return reservoir.withWindow(random.nextInt(1, 5));
  }

  /// The stream of one of several reservoirs, whatever its policy.
  private static Stream choose(ModuleContext context, List<String> outputs) {
    String output = outputs.get(context.random().nextInt(outputs.size()));
    if (context.random().nextBoolean()) {
      try {
        return context.output(output);
      } catch (IllegalArgumentException routed) {
        // The module has to choose.
      }
    }
    return context.route(output, context.random().nextInt(context.routes(output)));
  }

  private static final class Counting extends PartGraphs.Joined implements Source {
    private final List<String> outputs;
    private final long end;
    private long next;

    Counting(List<String> outputs, long first) {
      this.outputs = outputs;
      this.next = first;
      this.end = first + NUMBERS;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
      next += its.replica();
    }

    @Override
    public boolean produce(Stream out) {
      for (int i = context().random().nextInt(4); i > 0 && next < end; i--) {
        PartGraphs.put(choose(context(), outputs), next);
        next += context().replicas();
      }
      return next < end;
    }
  }

  /// Passes numbers on: in the same water, in a new one, or in a kept one, later.
  private static final class Passing extends PartGraphs.Joined implements Module {
    private final List<String> outputs;
    private final PartReport report;
    private final ArrayDeque<Water> kept = new ArrayDeque<>();

    Passing(List<String> outputs, PartReport report) {
      this.outputs = outputs;
      this.report = report;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      if (outputs.isEmpty()) {
        report.collect(PartGraphs.number(in));
        return;
      }
      switch (context().random().nextInt(6)) {
        case 0, 1 -> choose(context(), outputs).put(in);
        case 2 -> PartGraphs.put(choose(context(), outputs), PartGraphs.number(in));
        case 3 -> {
          in.keep();
          kept.add(in);
        }
        case 4 -> {
          choose(context(), outputs).put(in);
          putKept();
        }
        default -> {
          choose(context(), outputs).spring().createWater(8).release();
          PartGraphs.put(choose(context(), outputs), PartGraphs.number(in));
          in.release();
        }
      }
    }

    private void putKept() {
      if (!kept.isEmpty()) {
        choose(context(), outputs).put(kept.removeFirst());
      }
    }

    @Override
    public void finish(Stream out) {
      while (!kept.isEmpty()) {
        putKept();
      }
    }
  }
}
