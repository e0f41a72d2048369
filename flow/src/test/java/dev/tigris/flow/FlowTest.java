package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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

  private static FlowSnapshot run(Flow flow) throws Exception {
    FlowRun run = flow.start();
    run.await();
    return run.snapshot();
  }

  @ParameterizedTest
  @MethodSource("balanced")
  void carriesEveryWaterOnce(Reservoir reservoir) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    run(
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
        run(
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
  void endsAtOnceWithoutWaters() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    run(
        Flow.named("empty")
            .source("nothing", () -> out -> false, 3)
            .reservoir(Reservoir.lottery())
            .stage("pass", () -> new Finishing(finished), 2)
            .reservoir(Reservoir.lottery())
            .stage("end", () -> new Finishing(finished), 2)
            .build());
    assertEquals(4, finished.get());
  }

  /// Counts how often it is told to finish.
  private record Finishing(AtomicInteger finished) implements Module {
    @Override
    public void process(Water in, Stream out) {
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      finished.incrementAndGet();
    }
  }

  @Test
  void whatIsPutWhenFinishingArrives() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    run(
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
  void makesModulesOfAClass() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    run(
        Flow.named("class")
            .source("count", Numbers.counting(0, 10))
            .reservoir(Reservoir.random())
            .stage("sum", Sum.class, 1)
            .reservoir(Reservoir.random())
            .stage("collect", collected.module())
            .build());
    assertEquals(List.of(45L), collected.sorted());
  }

  @Test
  void routesByTheModulesChoice() throws Exception {
    Map<Integer, Numbers.Collected> byReplica = new ConcurrentHashMap<>();
    run(
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
    run(builder.build());
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
                run(
                    Flow.named("advice")
                        .source("count", Numbers.counting(0, 10))
                        .reservoir(Reservoir.random())
                        .stage("sink", () -> (in, out) -> out.put(in))
                        .build()));
    assertTrue(failure.getMessage().contains("stage sink has no reservoir"), failure.getMessage());
  }

  @Test
  void aModuleThatEndsEarlyEndsThoseThatFeedIt() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowSnapshot snapshot =
        run(
            Flow.named("head")
                .source("forever", Numbers.counting(0, Long.MAX_VALUE), 2)
                .reservoir(Reservoir.random())
                .stage("pass", () -> (in, out) -> out.put(in), 2)
                .reservoir(Reservoir.random())
                .stage(
                    "head",
                    () ->
                        (in, out) -> {
                          collected.add(Numbers.number(in));
                          if (collected.count() == 100) {
                            throw new EndOfStreamException();
                          }
                        })
                .build());
    assertEquals(100, collected.count());
    assertEquals(FlowSnapshot.State.DONE, snapshot.state());
    assertTrue(snapshot.replicas().stream().allMatch(FlowSnapshot.Replica::isEnded));
  }

  @ParameterizedTest
  @MethodSource("balanced")
  void sendersGoRoundAConsumerThatHasEnded(Reservoir reservoir) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    LongAdder lost = new LongAdder();
    CountDownLatch oneHasEnded = new CountDownLatch(1);
    FlowSnapshot snapshot =
        run(
            Flow.named("reroute")
                .source("count", Numbers.counting(0, 5000), 2)
                .reservoir(reservoir.withWindow(2))
                .stage("collect", () -> new EndsFirst(collected, lost, oneHasEnded), 3)
                .build());
    long discarded =
        snapshot.streams().stream().mapToLong(stream -> stream.counters().discarded()).sum();
    assertEquals(5000, collected.count() + lost.sum() + discarded);
    assertTrue(discarded + lost.sum() <= 2 * 3 + 1, "only what was under way: " + discarded);
  }

  /// Replica 0 ends at its first water, and the others wait until then.
  private static final class EndsFirst implements Module {
    private final Numbers.Collected collected;
    private final LongAdder lost;
    private final CountDownLatch ended;
    private int replica;

    EndsFirst(Numbers.Collected collected, LongAdder lost, CountDownLatch ended) {
      this.collected = collected;
      this.lost = lost;
      this.ended = ended;
    }

    @Override
    public void init(ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      if (replica == 0) {
        lost.increment();
        ended.countDown();
        throw new EndOfStreamException("enough");
      }
      ended.await();
      collected.add(Numbers.number(in));
    }
  }

  @Test
  void aSourceMayEndAtOnce() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    run(
        Flow.named("at-once")
            .source(
                "none",
                () ->
                    out -> {
                      throw new EndOfStreamException();
                    },
                2)
            .reservoir(Reservoir.lottery())
            .stage("end", () -> new Finishing(finished))
            .build());
    assertEquals(1, finished.get());
  }

  @Test
  void aPolicyMayDeclareTheEnd() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Policy first =
        (view, random) -> {
          if (view.last() >= 0 && view.serviceNanos(0) > 0) {
            return Policy.END;
          }
          return view.credits(0) > 0 ? 0 : Policy.WAIT;
        };
    run(
        Flow.named("policy")
            .source("forever", Numbers.counting(0, Long.MAX_VALUE))
            .reservoir(Reservoir.of(first))
            .stage("collect", collected.module(), 2)
            .build());
    assertTrue(collected.count() >= 1);
  }

  @Test
  void refusesAPolicyThatChoosesBadly() {
    FlowException failure =
        assertThrows(
            FlowException.class,
            () ->
                run(
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
    run(
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
        run(
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
    run(flow);
    run(flow);
    assertEquals(20, collected.count());
  }

  @Test
  void modulesRunOnNamedThreadsWithTheStartersClassLoader() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    AtomicReference<ClassLoader> loader = new AtomicReference<>();
    run(
        Flow.named("threads")
            .source(
                "only",
                () ->
                    out -> {
                      thread.set(Thread.currentThread());
                      loader.set(Thread.currentThread().getContextClassLoader());
                      return false;
                    })
            .build());
    assertEquals("tigris-threads-only-0", thread.get().getName());
    assertFalse(thread.get().isDaemon());
    assertFalse(thread.get().isAlive(), "await returns after the threads have ended");
    assertSame(Thread.currentThread().getContextClassLoader(), loader.get());
  }

  @Test
  void saysHowFarItIs() throws Exception {
    CountDownLatch half = new CountDownLatch(500);
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("progress")
            .source("count", Numbers.counting(0, 1000))
            .reservoir(Reservoir.random())
            .stage(
                "work",
                () ->
                    (in, out) -> {
                      half.countDown();
                      if (half.getCount() == 0) {
                        goOn.await();
                      }
                    })
            .build()
            .start();
    half.await();
    FlowSnapshot snapshot = run.snapshot();
    assertEquals(FlowSnapshot.State.RUNNING, snapshot.state());
    assertFalse(run.isDone());
    assertFalse(run.await(Duration.ofNanos(1)));
    FlowSnapshot.Channel channel = snapshot.streams().getFirst();
    assertEquals("count[0]->work[0]", channel.name());
    assertTrue(channel.counters().taken() >= 500);
    goOn.countDown();
    run.await();
    FlowSnapshot last = run.snapshot();
    assertEquals(FlowSnapshot.State.DONE, last.state());
    assertEquals(1000, last.streams().getFirst().counters().waters());
    assertEquals(8000, last.streams().getFirst().counters().bytes());
    assertEquals(0, last.streams().getFirst().counters().outstanding());
    assertTrue(run.await(Duration.ofNanos(1)));
  }

  @Test
  void saysWhoIsSlow() throws Exception {
    FlowSnapshot snapshot =
        run(
            Flow.named("slow")
                .source("count", Numbers.counting(0, 600))
                .reservoir(Reservoir.leastOutstanding())
                .stage("work", SlowIfThird::new, 4)
                .build());
    assertEquals(List.of(3), snapshot.slow().stream().map(FlowSnapshot.Replica::replica).toList());
  }

  /// Spins for a while, the last replica for much longer.
  private static final class SlowIfThird implements Module {
    private long nanos;

    @Override
    public void init(ModuleContext context) {
      nanos = context.replica() == 3 ? 20_000_000 : 100_000;
    }

    @Override
    public void process(Water in, Stream out) {
      long end = System.nanoTime() + nanos;
      while (System.nanoTime() < end) {
        java.util.concurrent.locks.LockSupport.parkNanos(end - System.nanoTime());
      }
    }
  }

  @Test
  void sameSeedGivesAModuleTheSameRandomNumbers() throws Exception {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    for (List<Long> drawn : List.of(first, second)) {
      run(
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
