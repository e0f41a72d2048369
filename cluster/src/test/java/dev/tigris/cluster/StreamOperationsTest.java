package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Operation.Use;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamCounters;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Operations in any order on two engines that run, whose streams are over interfaces: each water
/// comes once, and in the order of its stream. The same in a simulation: `ProcessesSimulation`.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StreamOperationsTest {
  private static final StreamOptions OPTIONS = StreamOptions.DEFAULT.withSlotBytes(4096);
  private static final int[] SIZES = {16, 3000, 20_000};
  private static final int SENDERS = 2;
  private static final int RECEIVERS = 2;
  private static final int WATERS = 400;

  /// What all modules of a run have seen.
  private static final class Seen {
    final AtomicLong put = new AtomicLong();
    final Set<Long> taken = ConcurrentHashMap.newKeySet();
    final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
  }

  /// Puts numbers of its own.
  private record Puts(Seen seen, long first, Random random) implements Source {
    @Override
    public boolean produce(Stream out) {
      long number = first + seen.put.getAndIncrement();
      Water water = out.spring().createWater(SIZES[random.nextInt(SIZES.length)]);
      water.bytes().setLong(0, number);
      out.put(water);
      return seen.put.get() < WATERS;
    }
  }

  private static final class Takes implements Module {
    private final Seen seen;
    private final Map<Stream, Long> last = new HashMap<>();
    private ModuleContext context;

    Takes(Seen seen) {
      this.seen = seen;
    }

    @Override
    public void init(ModuleContext its) {
      context = its;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = in.bytes().getLong(0);
      Long before = last.put(context.input(), number);
      if (before != null && before >= number) {
        seen.wrong.add("%d came after %d".formatted(number, before));
      }
      if (!seen.taken.add(number)) {
        seen.wrong.add("%d came twice".formatted(number));
      }
    }
  }

  /// Both engines, and the operations that were not applied yet, in lists that keep their order.
  private static final class Run {
    private final Seen seen = new Seen();
    private final Random random;
    private final FlowEngine sends;
    private final FlowEngine receives;
    private final List<List<Operation>> senders = new ArrayList<>();
    private final List<List<Operation>> receivers = new ArrayList<>();
    private final List<CompletableFuture<FlowEngine.Answer>> answers = new ArrayList<>();

    Run(long seed, Exchange here, Exchange there, Fabric fabric, String address) {
      random = new Random(seed);
      Flow flow =
          Flow.named("operated")
              .source(
                  "read",
                  new Supplier<>() {
                    private final AtomicLong made = new AtomicLong();

                    @Override
                    public Source get() {
                      return new Puts(seen, made.getAndIncrement() << 32, new Random(seed));
                    }
                  })
              .reservoir(Reservoir.lottery())
              .stage("count", () -> new Takes(seen))
              .build();
      sends = flow.engine();
      receives = flow.engine();
      for (int i = 0; i < SENDERS; i++) {
        ask(sends, new Operation.CreateModule(new End("read", i)));
      }
      for (int i = 0; i < RECEIVERS; i++) {
        ask(receives, new Operation.CreateModule(new End("count", i)));
      }
      join(here, there, fabric, address);
    }

    private void join(Exchange here, Exchange there, Fabric fabric, String address) {
      List<List<Operation>> inputs = new ArrayList<>();
      for (int to = 0; to < RECEIVERS; to++) {
        inputs.add(new ArrayList<>());
      }
      for (int from = 0; from < SENDERS; from++) {
        List<Operation> outputs = new ArrayList<>();
        for (int to = 0; to < RECEIVERS; to++) {
          End sender = new End("read", from);
          End receiver = new End("count", to);
          String name = sender + "->" + receiver;
          int number = from * RECEIVERS + to;
          ask(sends, create(name, number, Use.OUTBOUND, here.sending(name, fabric, address)));
          ask(receives, create(name, number, Use.INBOUND, there.receiving(name)));
          outputs.add(new Operation.AttachOutput(sender, name));
          inputs.get(to).add(new Operation.AttachInput(receiver, name));
        }
        senders.add(shuffled(outputs, begin(new End("read", from))));
      }
      for (int to = 0; to < RECEIVERS; to++) {
        End receiver = new End("count", to);
        inputs.get(to).add(new Operation.SealInputs(receiver));
        receivers.add(shuffled(inputs.get(to), begin(receiver)));
      }
    }

    private void ask(FlowEngine engine, Operation operation) {
      answers.add(engine.apply(operation));
    }

    private static Operation create(String name, int number, Use use, StreamKind kind) {
      End from = new End("read", number / RECEIVERS);
      End to = new End("count", number % RECEIVERS);
      return new Operation.CreateStream(name, number, use, "count", from, to, kind, 4);
    }

    private static List<Operation> begin(End module) {
      return List.of(new Operation.Initialize(module), new Operation.Start(module));
    }

    /// Mixes two lists, each of which keeps its order.
    private List<Operation> shuffled(List<Operation> some, List<Operation> others) {
      List<Boolean> turns = new ArrayList<>(Collections.nCopies(some.size(), true));
      turns.addAll(Collections.nCopies(others.size(), false));
      Collections.shuffle(turns, random);
      List<Operation> all = new ArrayList<>();
      int taken = 0;
      for (boolean isSome : turns) {
        all.add(isSome ? some.get(taken) : others.get(all.size() - taken));
        taken += isSome ? 1 : 0;
      }
      return all;
    }

    /// Applies all operations, and now and then one that ends something.
    void operate() {
      boolean isEnding = random.nextBoolean();
      while (!senders.isEmpty() || !receivers.isEmpty()) {
        boolean isSender = receivers.isEmpty() || (!senders.isEmpty() && random.nextBoolean());
        List<List<Operation>> side = isSender ? senders : receivers;
        List<Operation> script = side.get(random.nextInt(side.size()));
        ask(isSender ? sends : receives, script.removeFirst());
        if (script.isEmpty()) {
          side.remove(script);
        }
      }
      if (isEnding) {
        End read = new End("read", 0);
        switch (random.nextInt(4)) {
          case 0 -> ask(sends, new Operation.EndOutput(read, read + "->count[1]"));
          case 1 -> ask(sends, new Operation.Stop(read));
          case 2 -> ask(receives, new Operation.Stop(new End("count", 1)));
          default -> ask(receives, new Operation.Drop(new End("count", 1)));
        }
      }
      sends.seal();
      receives.seal();
    }

    void check() throws Exception {
      for (FlowEngine each : List.of(sends, receives)) {
        assertTrue(each.await(Duration.ofSeconds(60)), each::toString);
        assertEquals(FlowSnapshot.State.DONE, each.snapshot().state());
      }
      for (CompletableFuture<FlowEngine.Answer> answer : answers) {
        assertNotNull(answer.get(60, TimeUnit.SECONDS)); // none was refused
      }
      assertEquals(List.of(), List.copyOf(seen.wrong));
      long discarded = 0;
      for (FlowSnapshot.Channel channel : sends.snapshot().streams()) {
        StreamCounters counters = channel.counters();
        assertEquals(0, counters.outstanding(), channel::name);
        discarded += counters.discarded();
      }
      assertEquals(seen.put.get(), seen.taken.size() + discarded);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  @EveryTier("more seeds in each")
  void eachWaterComesOnceInTheOrderOfItsStream(String provider) throws Exception {
    for (long seed = 0; seed < Tier.choose(3, 15, 4000); seed++) {
      try (Fabric fabric = Fabric.open(provider);
          Exchange here = new Exchange(1, 0, OPTIONS);
          Exchange there = new Exchange(1, 0, OPTIONS)) {
        String address = there.listen(fabric, provider.equals("shm") ? "*" : "127.0.0.1:0");
        Run run = new Run(seed, here, there, fabric, address);
        run.operate();
        run.check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }
}
