package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FlowTest {
  static List<Reservoir> balanced() {
    return List.of(
        Reservoir.roundRobin(),
        Reservoir.random(),
        Reservoir.lottery(),
        Reservoir.leastOutstanding());
  }

  static List<Long> numbers(long first, long end) {
    return LongStream.range(first, end).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("balanced")
  void carriesEveryWaterOnce(Reservoir reservoir) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Numbers.run(
        Flow.named("once")
            .source("count", Numbers.counting(0, 10_000), 3)
            .reservoir(reservoir)
            .stage("pass", () -> (in, out) -> out.put(in), 2)
            .reservoir(reservoir.withWindow(2))
            .stage("collect", collected.module(), 4)
            .build());
    assertEquals(numbers(0, 10_000), collected.sorted());
  }

  @Test
  void carriesWatersThroughBigFans() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("fans")
                .source("count", Numbers.counting(0, 20_000), 32)
                .reservoir(Reservoir.lottery().withWindow(4))
                .stage("pass", () -> (in, out) -> out.put(in), 32)
                .reservoir(Reservoir.leastOutstanding().withWindow(4))
                .stage("collect", collected.module(), 1)
                .build());
    assertEquals(numbers(0, 20_000), collected.sorted());
    assertEquals(32 * 32 + 32, snapshot.streams().size());
  }

  @Test
  void theExampleOfThePackageWorks() throws Exception {
    LongAdder total = new LongAdder();
    Flow flow =
        Flow.named("sum")
            .source(
                "count",
                () ->
                    new Source() {
                      private int next;

                      @Override
                      public boolean produce(Stream out) {
                        Water water = out.spring().createWater(Integer.BYTES);
                        water.bytes().setInt(0, next++);
                        out.put(water);
                        return next < 1000;
                      }
                    })
            .reservoir(Reservoir.leastOutstanding())
            .stage("add", () -> (in, out) -> total.add(in.bytes().getInt(0)), 4)
            .build();
    flow.start().await();
    assertEquals(999 * 1000 / 2, total.sum());
  }

  @Test
  void endsAtOnceWithoutWaters() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    Numbers.run(
        Flow.named("empty")
            .source("nothing", () -> out -> false, 3)
            .reservoir(Reservoir.lottery())
            .stage("pass", () -> new Numbers.Finishing(finished), 2)
            .reservoir(Reservoir.lottery())
            .stage("end", () -> new Numbers.Finishing(finished), 2)
            .build());
    assertEquals(4, finished.get());
  }

  @Test
  void whatIsPutWhenFinishingArrives() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Numbers.run(
        Flow.named("sum")
            .source("count", Numbers.counting(0, 1000), 2)
            .reservoir(Reservoir.random())
            .stage("sum", Sum::new, 3)
            .reservoir(Reservoir.random())
            .stage("collect", collected.module())
            .build());
    assertEquals(3, collected.count());
    assertEquals(999L * 1000 / 2, collected.sorted().stream().mapToLong(Long::longValue).sum());
  }

  /// Adds up, and puts the sum at the end.
  public static final class Sum implements Module {
    private long sum;

    @Override
    public void process(Water in, Stream out) {
      sum += Numbers.number(in);
    }

    @Override
    public void finish(Stream out) {
      Numbers.put(out, sum);
    }
  }

  @Test
  void routesByTheModulesChoice() throws Exception {
    Map<Integer, Numbers.Collected> byReplica = new ConcurrentHashMap<>();
    Numbers.run(
        Flow.named("routes")
            .source("count", Numbers.counting(0, 1000), 2)
            .reservoir(Reservoir.random())
            .stage("partition", Partition::new, 2)
            .reservoir(Reservoir.routed().withWindow(3))
            .stage("part", () -> new Part(byReplica), 4)
            .build());
    for (int part = 0; part < 4; part++) {
      int rest = part;
      assertEquals(
          LongStream.range(0, 1000).filter(n -> n % 4 == rest).boxed().toList(),
          byReplica.getOrDefault(part, new Numbers.Collected()).sorted());
    }
  }

  /// Sends each number to the replica of its remainder, in a water of that stream's spring.
  private static final class Partition implements Module {
    private ModuleContext context;

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = Numbers.number(in);
      Numbers.put(context.route((int) (number % context.routes())), number);
    }
  }

  private static final class Part implements Module {
    private final Map<Integer, Numbers.Collected> byReplica;
    private final Numbers.Collected own = new Numbers.Collected();

    Part(Map<Integer, Numbers.Collected> byReplica) {
      this.byReplica = byReplica;
    }

    @Override
    public void init(ModuleContext context) {
      byReplica.put(context.replica(), own);
    }

    @Override
    public void process(Water in, Stream out) {
      own.add(Numbers.number(in));
    }
  }

  @Test
  void joinsAndSplitsByName() throws Exception {
    Numbers.Collected even = new Numbers.Collected();
    Numbers.Collected odd = new Numbers.Collected();
    Flow.Builder builder =
        Flow.named("join")
            .source("low", Numbers.counting(0, 500))
            .source("high", Numbers.counting(500, 1000), 2)
            .stage("split", Split::new, 3)
            .stage("even", even.module(), 2)
            .stage("odd", odd.module())
            .connect("low", "split", Reservoir.random())
            .connect("high", "split", Reservoir.roundRobin())
            .connect("split", "even", Reservoir.lottery().withWindow(2))
            .connect("split", "odd", Reservoir.random().withName("rest"));
    Numbers.run(builder.build());
    assertEquals(numbers(0, 1000).stream().filter(n -> n % 2 == 0).toList(), even.sorted());
    assertEquals(numbers(0, 1000).stream().filter(n -> n % 2 == 1).toList(), odd.sorted());
  }

  private static final class Split implements Module {
    private ModuleContext context;

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = Numbers.number(in);
      assertEquals(number < 500 ? "low" : "high", context.from());
      context.output(number % 2 == 0 ? "even" : "rest").put(in);
    }
  }

  @Test
  void tellsAModuleWhereToPutItsWaters() {
    FlowException failure =
        assertThrows(
            FlowException.class,
            () ->
                Numbers.run(
                    Flow.named("advice")
                        .source("count", Numbers.counting(0, 10))
                        .reservoir(Reservoir.random())
                        .stage("sink", () -> (in, out) -> out.put(in))
                        .build()));
    assertTrue(failure.getMessage().contains("stage sink has no reservoir"), failure.getMessage());
  }

  @Test
  void refusesAPolicyThatChoosesBadly() {
    FlowException failure =
        assertThrows(
            FlowException.class,
            () ->
                Numbers.run(
                    Flow.named("bad")
                        .source("count", Numbers.counting(0, 10))
                        .reservoir(Reservoir.of((view, random) -> 7))
                        .stage("collect", new Numbers.Collected().module(), 2)
                        .build()));
    assertTrue(failure.getMessage().contains("chose stream 7"), failure.getMessage());
  }

  @Test
  void modulesMayKeepWatersBeyondTheWindow() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Numbers.run(
        Flow.named("keep")
            .source("count", Numbers.counting(0, 500))
            .reservoir(Reservoir.random().withWindow(2))
            .stage("keep", Keep::new, 2)
            .reservoir(Reservoir.random().withWindow(2))
            .stage("collect", collected.module())
            .build());
    assertEquals(numbers(0, 500), collected.sorted());
  }

  /// Keeps all its waters, and puts them at the end.
  private static final class Keep implements Module {
    private final List<Water> kept = new ArrayList<>();

    @Override
    public void process(Water in, Stream out) {
      in.keep();
      kept.add(in);
    }

    @Override
    public void finish(Stream out) {
      kept.forEach(out::put);
    }
  }

  @Test
  void copiesAndCountsWatersThatAStreamCannotCarry() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("copies")
                .source("count", Numbers.counting(0, 1000))
                .reservoir(Reservoir.random())
                .stage("pass", () -> (in, out) -> out.put(in))
                .reservoir(Reservoir.random().withKind(LockedStream::new))
                .stage("collect", collected.module())
                .checksums()
                .build());
    assertEquals(numbers(0, 1000), collected.sorted());
    assertEquals(0, snapshot.streams().get(0).counters().copies());
    assertEquals(1000, snapshot.streams().get(1).counters().copies());
  }

  @Test
  void canBeStartedAgain() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Flow flow =
        Flow.named("again")
            .source("count", Numbers.counting(0, 10))
            .reservoir(Reservoir.random())
            .stage("collect", collected.module())
            .build();
    Numbers.run(flow);
    Numbers.run(flow);
    assertEquals(20, collected.count());
  }

  /// Takes two waters at a time of its one input.
  private static final class Pairs implements Module {
    private final Numbers.Collected sums;
    private Stream input;

    Pairs(Numbers.Collected sums) {
      this.sums = sums;
    }

    @Override
    public void init(ModuleContext context) {
      input = context.inputs().getFirst();
    }

    @Override
    public void process(Water in, Stream out) {
      Water other = input.get();
      sums.add(Numbers.number(in) + Numbers.number(other));
      other.release();
    }
  }

  @Test
  void aModuleMayTakeMoreOfTheStreamThatItsInputIsFrom() throws Exception {
    Numbers.Collected sums = new Numbers.Collected();
    FlowSnapshot done =
        Numbers.run(
            Flow.named("pairs")
                .source("count", Numbers.counting(0, 1000))
                .reservoir(Reservoir.random().withWindow(4))
                .stage("pair", () -> new Pairs(sums))
                .build());
    assertEquals(500, sums.count());
    assertEquals(0, done.streams().getFirst().counters().outstanding());
  }

  @Test
  void sameSeedGivesAModuleTheSameRandomNumbers() throws Exception {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    for (List<Long> drawn : List.of(first, second)) {
      Numbers.run(
          Flow.named("seeded")
              .source(
                  "draw",
                  () ->
                      new Source() {
                        @Override
                        public void init(ModuleContext context) {
                          for (int i = 0; i < 10; i++) {
                            drawn.add(context.random().nextLong());
                          }
                        }

                        @Override
                        public boolean produce(Stream out) {
                          return false;
                        }
                      })
              .seed(42)
              .build());
    }
    assertEquals(first, second);
  }
}
