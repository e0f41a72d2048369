// Over 400 lines: the tests share one exchange.
package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine;
import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowPart;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One flow, the parts of which run in several processes, or in several exchanges as if they did.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ExchangePartTest {
  private static final StreamOptions OPTIONS =
      StreamOptions.DEFAULT.withSlotBytes(4096).withPatience(Duration.ofSeconds(30));

  private final List<Exchange> exchanges = new ArrayList<>();
  private final List<Fabric> fabrics = new ArrayList<>();

  @AfterEach
  void closeAll() {
    exchanges.forEach(Exchange::close);
    fabrics.forEach(Fabric::close);
  }

  private List<Reach> open(int processes, String... providers) {
    return open(OPTIONS, processes, providers);
  }

  private List<Reach> open(StreamOptions options, int processes, String... providers) {
    for (int i = 0; i < processes; i++) {
      Exchange exchange = new Exchange(1, 0, options);
      exchanges.add(exchange);
      for (String provider : providers) {
        Fabric fabric = Fabric.open(provider);
        fabrics.add(fabric);
        exchange.listen(fabric, provider.equals("shm") ? "*" : "127.0.0.1:0");
      }
    }
    return exchanges.stream().map(exchange -> Reach.of(exchange.reach().toString())).toList();
  }

  /// Starts a flow in all exchanges, the last one first.
  private List<FlowRun> start(Flow flow, Placement placement, List<Reach> processes) {
    List<FlowRun> runs = new ArrayList<>();
    for (int self = processes.size() - 1; self >= 0; self--) {
      runs.add(flow.start(exchanges.get(self).part(flow, placement, self, processes)));
    }
    return runs;
  }

  private static AtomicLong[] sums() {
    return new AtomicLong[] {new AtomicLong(), new AtomicLong()};
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm", "uring"})
  void aFlowOfThreeStagesRunsInTwoParts(String provider) throws Exception {
    List<Reach> processes = open(2, provider);
    AtomicLong[] sums = sums();
    Flow flow = Squares.flow(500, 64, sums);
    for (FlowRun run : start(flow, Placement.spread(flow.graph(), 2), processes)) {
      run.await();
    }
    assertEquals(Squares.expected(500, 0), sums[0].get());
    assertEquals(Squares.expected(500, 1), sums[1].get());
  }

  /// The sender of a stream that joins may be in a call that takes longer than any wait for a
  // start.
  @Test
  void aStreamThatJoinsWhileTheFlowRunsWaitsForItsSender() throws Exception {
    List<Reach> processes = open(OPTIONS.withPatience(Duration.ofMillis(50)), 2, "tcp");
    Flow flow = Squares.flow(10, 64, sums());
    Placement placement = replica -> replica.name().equals("count") ? 0 : 1;
    List<FlowPart> parts = new ArrayList<>();
    for (int self = 0; self < 2; self++) {
      parts.add(exchanges.get(self).part(flow, placement, self, processes));
      var _ = parts.getLast().joined(); // it has no other streams
    }
    var link = new FlowPart.Link("late", new End("count", 2), new End("square", 3));
    StreamKind.Place place = new StreamKind.Place("late", 4);
    CompletableFuture<Long> came =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                var in = parts.get(1).kind(link).open(place);
                Water first = in.get();
                long number = first.bytes().getLong(0);
                first.release();
                assertNull(in.get()); // to close before the end would abort
                in.close(true);
                return number;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            task -> Thread.ofPlatform().daemon().start(task));
    assertThrows(TimeoutException.class, () -> came.get(300, TimeUnit.MILLISECONDS));
    var out = parts.get(0).kind(link).open(place);
    Water water = out.spring().createWater(Long.BYTES);
    water.bytes().setLong(0, 7);
    out.put(water);
    out.end();
    assertEquals(7, came.get(30, TimeUnit.SECONDS));
    out.close(true);
  }

  @Test
  void largeWatersGoThroughFourParts() throws Exception {
    List<Reach> processes = open(4, "shm", "tcp");
    AtomicLong[] sums = sums();
    Flow flow = Squares.flow(60, 100_000, sums);
    for (FlowRun run : start(flow, Placement.spread(flow.graph(), 4), processes)) {
      run.await();
    }
    assertEquals(Squares.expected(60, 0), sums[0].get());
    assertEquals(Squares.expected(60, 1), sums[1].get());
  }

  /// The streams that join replicas of one process stay in memory, and each stream has one end in
  /// each process that has one.
  @Test
  void eachPartHasItsOwnReplicasAndEnds() throws Exception {
    List<Reach> processes = open(2, "tcp");
    Flow flow = Squares.flow(10, 64, sums());
    List<FlowRun> runs = start(flow, replica -> replica.index() % 2, processes);
    for (FlowRun run : runs) {
      run.await();
    }
    List<String> names =
        runs.stream()
            .flatMap(run -> run.snapshot().streams().stream())
            .map(stream -> stream.name())
            .sorted()
            .toList();
    List<String> both =
        Stream.of(
                "count[0]->square[0]",
                "count[0]->square[1]",
                "count[0]->square[1]",
                "count[0]->square[2]",
                "count[1]->square[0]",
                "count[1]->square[0]",
                "count[1]->square[1]",
                "count[1]->square[2]",
                "count[1]->square[2]",
                "square[0]->add[0]:parity",
                "square[0]->add[1]:parity",
                "square[0]->add[1]:parity",
                "square[1]->add[0]:parity",
                "square[1]->add[0]:parity",
                "square[1]->add[1]:parity",
                "square[2]->add[0]:parity",
                "square[2]->add[1]:parity",
                "square[2]->add[1]:parity")
            .sorted()
            .toList();
    assertEquals(both, names);
    assertEquals(7, runs.stream().mapToInt(run -> run.snapshot().replicas().size()).sum());
  }

  @Test
  void aPolicyChoosesAmongReceiversHereAndElsewhere() throws Exception {
    List<Reach> processes = open(2, "tcp");
    List<Integer> took = new CopyOnWriteArrayList<>();
    AtomicLong slow = new AtomicLong();
    Flow flow =
        Flow.named("slow")
            .source("put", () -> numbers(1000))
            .reservoir(Reservoir.lottery().withWindow(4))
            .stage("take", () -> new Taker(took, slow), 2)
            .build();
    for (FlowRun run : start(flow, End::index, processes)) {
      run.await();
    }
    assertEquals(1000, took.size());
    assertTrue(took.contains(0) && took.contains(1), "both have worked");
  }

  private static Source numbers(long count) {
    AtomicLong next = new AtomicLong();
    return out -> {
      if (next.getAndIncrement() == count) {
        return false;
      }
      out.put(out.spring().createWater(64));
      return true;
    };
  }

  private static final class Taker implements Module {
    private final List<Integer> took;
    private final AtomicLong order;
    private int replica;

    Taker(List<Integer> took, AtomicLong order) {
      this.took = took;
      this.order = order;
    }

    @Override
    public void init(dev.tigris.flow.ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public void process(Water in, dev.tigris.flow.Stream out) {
      order.incrementAndGet();
      took.add(replica);
    }
  }

  /// Streams in both directions, the ends of which connect at once.
  @Test
  void stagesThatAlternateBetweenTwoPartsDoNotWaitForEachOther() throws Exception {
    List<Reach> processes = open(2, "tcp");
    AtomicLong seen = new AtomicLong();
    Flow.Builder chain = Flow.named("chain").source("s0", () -> numbers(100), 2);
    for (int i = 1; i < 6; i++) {
      chain.reservoir(Reservoir.roundRobin()).stage("s" + i, () -> (in, out) -> out.put(in), 2);
    }
    Flow flow =
        chain
            .reservoir(Reservoir.random())
            .stage("end", () -> (in, out) -> seen.incrementAndGet())
            .build();
    for (FlowRun run : start(flow, replica -> replica.name().charAt(1) % 2, processes)) {
      run.await();
    }
    assertEquals(200, seen.get());
  }

  @Test
  void anEarlyEndGoesBackThroughAllParts() throws Exception {
    List<Reach> processes = open(2, "shm");
    AtomicLong seen = new AtomicLong();
    Module first =
        (in, out) -> {
          if (seen.incrementAndGet() == 100) {
            throw new EndOfStreamException();
          }
        };
    Flow flow =
        Flow.named("early")
            .source("put", () -> numbers(Long.MAX_VALUE))
            .reservoir(Reservoir.roundRobin())
            .stage("pass", () -> (in, out) -> out.put(in), 2)
            .reservoir(Reservoir.roundRobin())
            .stage("take", () -> first)
            .build();
    for (FlowRun run : start(flow, replica -> replica.index(), processes)) {
      run.await();
    }
    assertEquals(100, seen.get());
  }

  @Test
  void aFailureInOnePartFailsTheOthers() {
    List<Reach> processes = open(2, "tcp");
    Flow flow =
        Flow.named("fails")
            .source("put", () -> numbers(Long.MAX_VALUE))
            .reservoir(Reservoir.roundRobin())
            .stage(
                "take",
                () ->
                    (in, out) -> {
                      throw new IllegalStateException("no room");
                    },
                2)
            .build();
    for (FlowRun run : start(flow, End::index, processes)) {
      assertThrows(FlowException.class, run::await);
    }
  }

  @Test
  void streamsThatShareAFeedStayTogether() {
    StreamGroup group =
        new StreamGroup() {
          @Override
          protected List<StreamKind> kinds(int replicas) {
            return Collections.nCopies(replicas, StreamKind.memory());
          }
        };
    Flow flow = Flow.named("torn").stage("take", Squares::pass, 2).feed("take", group).build();
    List<Reach> processes = open(2, "tcp");
    Placement torn = End::index;
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> flow.start(exchanges.get(0).part(flow, torn, 0, processes)));
    assertTrue(refused.getMessage().contains("only 1 of 2"), refused.getMessage());
    Placement spread = Placement.spread(flow.graph(), 2);
    assertEquals(spread.process(new End("take", 0)), spread.process(new End("take", 1)));
  }

  @Test
  void aKindOfStreamsThatIsNotMemoryJoinsNoProcesses() {
    StreamKind own = place -> dev.tigris.flow.Stream.memory(place.window());
    Flow flow =
        Flow.named("own")
            .source("put", () -> numbers(1))
            .reservoir(Reservoir.roundRobin().withKind(own))
            .stage("take", Squares::pass, 2)
            .build();
    List<Reach> processes = open(2, "tcp");
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> flow.start(exchanges.get(0).part(flow, End::index, 0, processes)));
    assertTrue(refused.getMessage().contains("withKind"), refused.getMessage());
  }

  @Test
  void processesWithoutACommonProviderAreRefused() {
    Reach here = open(1, "tcp").getFirst();
    Reach there = new Reach(here.host(), List.of(new Reach.Way("tcp with TLS", "127.0.0.1:1")));
    Flow flow = Squares.flow(1, 64, sums());
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                flow.start(exchanges.get(0).part(flow, End::index, 0, List.of(here, there, here))));
    assertTrue(refused.getMessage().contains("both with TLS or both without"), refused::getMessage);
  }

  @Test
  void memoryIsOnlyForProcessesOfOneHost() {
    Reach here = open(1, "tcp", "shm").getFirst();
    assertEquals("shm", here.ways().getFirst().provider());
    Ways ways = exchanges.getFirst().ways();
    assertEquals("shm", ways.to(1, here).fabric().provider());
    Reach far = new Reach("another", here.ways());
    assertEquals("tcp", ways.to(1, far).fabric().provider());
  }

  /// The module that was to receive has ended before its stream was attached: its sender is told.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEndThatComesTooLateTellsTheOtherOne(boolean isReceiver) throws Exception {
    List<Reach> _ = open(2, "tcp");
    Exchange here = exchanges.get(0);
    Exchange there = exchanges.get(1);
    String address = there.reach().ways().getFirst().address();
    End end = new End(isReceiver ? "take" : "put", 0);
    Flow late =
        isReceiver
            ? Flow.named("late")
                .stage("take", Squares::pass)
                .feed("take", StreamKind.memory())
                .build()
            : Flow.named("late")
                .source("put", () -> numbers(0))
                .drain("put", StreamKind.memory())
                .build();
    FlowEngine engine = late.engine();
    engine.apply(new Operation.CreateModule(end)).get();
    engine.apply(new Operation.SealInputs(end)).get();
    engine.apply(new Operation.Initialize(end)).get();
    engine.apply(new Operation.Stop(end)).get();
    End outside = new End(isReceiver ? "feed" : "drain", 0);
    StreamKind kind =
        isReceiver ? there.receiving("s") : here.sending("s", fabrics.getFirst(), address);
    engine
        .apply(
            new Operation.CreateStream(
                "late",
                0,
                isReceiver ? Operation.Use.FEED : Operation.Use.DRAIN,
                outside.name(),
                isReceiver ? outside : end,
                isReceiver ? end : outside,
                kind,
                16))
        .get();
    Operation attach =
        isReceiver
            ? new Operation.AttachInput(end, "late")
            : new Operation.AttachOutput(end, "late");
    assertEquals(Answer.ENDED, engine.apply(attach).get());
    engine.seal();
    AtomicLong seen = new AtomicLong();
    FlowRun other =
        isReceiver
            ? Flow.named("other")
                .source("put", () -> numbers(Long.MAX_VALUE))
                .drain("put", here.sending("s", fabrics.getFirst(), address))
                .build()
                .start()
            : Flow.named("other")
                .stage("take", () -> (in, out) -> seen.incrementAndGet())
                .feed("take", there.receiving("s").withWindow(16))
                .build()
                .start();
    other.await();
    engine.await();
    assertEquals(0, seen.get());
  }
}
