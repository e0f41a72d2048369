package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Nothing is lost and nothing doubled: numbered waters through random graphs, with random
/// policies, windows and kinds of streams, and modules that do with waters all that they may.
class ConservationTest {
  private static final int NUMBERS = 200;

  @Property(tries = 40)
  void everyWaterArrivesOnce(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Numbers.Collected collected = new Numbers.Collected();
    Flow.Builder builder = Flow.named("random").seed(seed).checksums();
    int sources = random.nextInt(1, 4);
    int stages = random.nextInt(1, 6);
    List<List<String>> outputs = new ArrayList<>();
    for (int i = 0; i < sources + stages; i++) {
      outputs.add(new ArrayList<>());
    }
    for (int stage = sources; stage < sources + stages; stage++) {
      for (int from = 0; from < stage; from++) {
        boolean mustHaveInput = from == stage - 1;
        if (mustHaveInput || random.nextInt(3) == 0) {
          outputs.get(from).add("s" + stage);
          builder.connect("s" + from, "s" + stage, reservoir(random));
        }
      }
    }
    for (int i = 0; i < sources; i++) {
      // Only the last source is sure to be connected; one that is not counts as having arrived.
      List<String> names = outputs.get(i);
      long first = (long) i * NUMBERS;
      if (names.isEmpty()) {
        builder.source("s" + i, () -> out -> false);
        LongStream.range(first, first + NUMBERS).forEach(collected::add);
      } else {
        builder.source("s" + i, () -> new Counting(names, first), random.nextInt(1, 4));
      }
    }
    for (int i = sources; i < sources + stages; i++) {
      List<String> names = outputs.get(i);
      builder.stage("s" + i, () -> new Passing(names, collected), random.nextInt(1, 4));
    }
    FlowRun run = builder.build().start();
    run.await();
    assertEquals(
        LongStream.range(0, (long) sources * NUMBERS).boxed().toList(), collected.sorted());
    for (FlowSnapshot.Channel channel : run.snapshot().streams()) {
      StreamCounters counters = channel.counters();
      assertEquals(counters.waters(), counters.taken(), channel.name());
      assertEquals(0, counters.outstanding(), channel.name());
      assertEquals(0, counters.discarded(), channel.name());
      assertTrue(counters.bytes() == counters.waters() * Long.BYTES, channel.name());
    }
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
    StreamKind kind = random.nextInt(4) == 0 ? LockedStream::new : StreamKind.memory();
    return reservoir.withWindow(random.nextInt(1, 5)).withKind(kind);
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

  private static final class Counting implements Source {
    private final List<String> outputs;
    private final long end;
    private ModuleContext context;
    private long next;

    Counting(List<String> outputs, long first) {
      this.outputs = outputs;
      this.next = first;
      this.end = first + NUMBERS;
    }

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
      next += context.replica();
    }

    @Override
    public boolean produce(Stream out) {
      for (int i = context.random().nextInt(4); i > 0 && next < end; i--) {
        Numbers.put(choose(context, outputs), next);
        next += context.replicas();
      }
      return next < end;
    }
  }

  /// Passes numbers on: in the same water, in a new one, or in a kept one, later.
  private static final class Passing implements Module {
    private final List<String> outputs;
    private final Numbers.Collected collected;
    private final ArrayDeque<Water> kept = new ArrayDeque<>();
    private ModuleContext context;

    Passing(List<String> outputs, Numbers.Collected collected) {
      this.outputs = outputs;
      this.collected = collected;
    }

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
    }

    @Override
    public void process(Water in, Stream out) {
      if (outputs.isEmpty()) {
        collected.add(Numbers.number(in));
        return;
      }
      switch (context.random().nextInt(6)) {
        case 0, 1 -> choose(context, outputs).put(in);
        case 2 -> Numbers.put(choose(context, outputs), Numbers.number(in));
        case 3 -> {
          in.keep();
          kept.add(in);
        }
        case 4 -> {
          choose(context, outputs).put(in);
          putKept();
        }
        default -> {
          choose(context, outputs).spring().createWater(8).release();
          Numbers.put(choose(context, outputs), Numbers.number(in));
          in.release();
        }
      }
    }

    private void putKept() {
      if (!kept.isEmpty()) {
        choose(context, outputs).put(kept.removeFirst());
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
