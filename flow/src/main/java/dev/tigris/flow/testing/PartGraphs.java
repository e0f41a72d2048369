// Over 400 lines: one list of graphs, and the modules that they are made of.
package dev.tigris.flow.testing;

import static dev.tigris.flow.testing.PartContract.require;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.policy.Policy;
import dev.tigris.flow.testing.PartContract.Check;
import dev.tigris.flow.testing.PartContract.Graph;
import dev.tigris.flow.testing.PartContract.OnFiles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The graphs of [PartContract], but for those at random. A water of theirs holds a number.
final class PartGraphs {
  private static final int NUMBERS = 1000;
  private static final int EARLY = 100;
  private static final String FINISHED = "modules finished";
  private static final String ON_PURPOSE = "fails on purpose";

  private PartGraphs() {}

  static List<Check> all() {
    List<Check> all = new ArrayList<>();
    balanced().forEach((policy, reservoir) -> all.add(once(policy, reservoir)));
    all.add(check("carriesWatersThroughBigFans", PartGraphs::fans, PartGraphs::all));
    all.add(
        check(
            "endsAtOnceWithoutWaters",
            PartGraphs::empty,
            report -> PartContract.requireCount(report, FINISHED, 4)));
    all.add(
        check(
            "whatIsPutWhenFinishingArrives",
            PartGraphs::sums,
            report -> PartContract.requireSum(report, NUMBERS * (NUMBERS - 1L) / 2)));
    all.add(check("routesByTheModulesChoice", PartGraphs::routes, PartGraphs::all));
    all.add(check("joinsAndSplitsByName", PartGraphs::joined, PartGraphs::all));
    all.add(check("waysThatPartMeetAgain", PartGraphs::diamond, PartGraphs::all));
    all.add(check("modulesMayKeepWatersBeyondTheWindow", PartGraphs::keeps, PartGraphs::all));
    all.add(check("aModuleMayTakeMoreOfItsInput", PartGraphs::pairs, PartGraphs::pairsOfAll));
    all.add(check("watersOfAllSizesStayInOrder", PartGraphs::sizes, PartGraphs::all));
    all.add(check("aModuleThatEndsEarlyEndsThoseThatFeedIt", PartGraphs::head, PartGraphs::early));
    balanced()
        .forEach(
            (policy, reservoir) ->
                all.add(
                    check(
                        "sendersGoRoundAConsumerThatHasEnded, " + policy,
                        (name, report, folder) -> goRound(reservoir, report),
                        PartGraphs::allOrDiscarded)));
    all.add(
        check(
            "aSourceMayEndAtOnce",
            PartGraphs::endsAtOnce,
            report -> PartContract.requireCount(report, FINISHED, 1)));
    all.add(check("aPolicyMayDeclareTheEnd", PartGraphs::policyEnds, PartContract::requireWell));
    for (String stage : List.of("first", "middle", "last")) {
      all.add(
          check(
              "aFailureEndsAllParts, " + stage,
              (name, report, folder) -> stops(stage, PartGraphs::fail),
              PartGraphs::failed));
      all.add(
          check(
              "anEarlyEndEndsAllParts, " + stage,
              (name, report, folder) -> stops(stage, PartGraphs::end),
              PartContract::requireWell));
    }
    all.add(feedAndDrain());
    return all;
  }

  private static Check check(String name, Graph graph, Consumer<PartReport> verify) {
    return new Check(
        name, graph, (folder, report) -> {}, (folder, report) -> verify.accept(report));
  }

  private static Map<String, Reservoir> balanced() {
    Map<String, Reservoir> all = new TreeMap<>();
    all.put("roundRobin", Reservoir.roundRobin());
    all.put("random", Reservoir.random());
    all.put("lottery", Reservoir.lottery());
    all.put("leastOutstanding", Reservoir.leastOutstanding());
    return all;
  }

  private static void all(PartReport report) {
    PartContract.requireNumbers(report, NUMBERS);
  }

  // -- Each water once.

  private static Check once(String policy, Reservoir reservoir) {
    return check(
        "carriesEveryWaterOnce, " + policy,
        (name, report, folder) ->
            Flow.named("once")
                .source("count", counting(NUMBERS), 3)
                .reservoir(reservoir)
                .stage("pass", PartGraphs::pass, 2)
                .reservoir(reservoir.withWindow(2))
                .stage("collect", () -> collect(report), 4)
                .build(),
        PartGraphs::all);
  }

  private static Flow fans(String name, PartReport report, Path folder) {
    return Flow.named("fans")
        .source("count", counting(NUMBERS), 6)
        .reservoir(Reservoir.lottery().withWindow(4))
        .stage("pass", PartGraphs::pass, 6)
        .reservoir(Reservoir.leastOutstanding().withWindow(4))
        .stage("collect", () -> collect(report))
        .build();
  }

  private static Flow empty(String name, PartReport report, Path folder) {
    return Flow.named("empty")
        .source("nothing", () -> out -> false, 3)
        .reservoir(Reservoir.lottery())
        .stage("pass", () -> new Finishing(report), 2)
        .reservoir(Reservoir.lottery())
        .stage("end", () -> new Finishing(report), 2)
        .build();
  }

  private static Flow sums(String name, PartReport report, Path folder) {
    return Flow.named("sum")
        .source("count", counting(NUMBERS), 2)
        .reservoir(Reservoir.random())
        .stage("sum", Sum::new, 3)
        .reservoir(Reservoir.random())
        .stage("collect", () -> collect(report))
        .build();
  }

  private static Flow routes(String name, PartReport report, Path folder) {
    return Flow.named("routes")
        .source("count", counting(NUMBERS), 2)
        .reservoir(Reservoir.random())
        .stage("partition", Partition::new, 2)
        .reservoir(Reservoir.routed().withWindow(3))
        .stage("part", () -> new OfOneRest(report), 4)
        .build();
  }

  private static Flow joined(String name, PartReport report, Path folder) {
    return Flow.named("join")
        .source("low", () -> new Counting(0, NUMBERS / 2, 8))
        .source("high", () -> new Counting(NUMBERS / 2, NUMBERS, 8), 2)
        .stage("split", () -> new Split("even", "rest", NUMBERS / 2), 3)
        .stage("even", () -> new Parity(report, 0), 2)
        .stage("odd", () -> new Parity(report, 1))
        .connect("low", "split", Reservoir.random())
        .connect("high", "split", Reservoir.roundRobin())
        .connect("split", "even", Reservoir.lottery().withWindow(2))
        .connect("split", "odd", Reservoir.random().withName("rest"))
        .build();
  }

  private static Flow diamond(String name, PartReport report, Path folder) {
    return Flow.named("diamond")
        .source("count", counting(NUMBERS), 2)
        .stage("split", () -> new Split("left", "right", -1), 2)
        .stage("left", PartGraphs::pass, 2)
        .stage("right", PartGraphs::pass)
        .stage("join", () -> collect(report), 2)
        .connect("count", "split", Reservoir.roundRobin().withWindow(3))
        .connect("split", "left", Reservoir.lottery().withWindow(2))
        .connect("split", "right", Reservoir.random().withWindow(1))
        .connect("left", "join", Reservoir.leastOutstanding().withWindow(2))
        .connect("right", "join", Reservoir.roundRobin().withWindow(2))
        .build();
  }

  private static Flow keeps(String name, PartReport report, Path folder) {
    return Flow.named("keep")
        .source("count", counting(NUMBERS))
        .reservoir(Reservoir.random().withWindow(2))
        .stage("keep", Keep::new, 2)
        .reservoir(Reservoir.random().withWindow(2))
        .stage("collect", () -> collect(report))
        .build();
  }

  private static Flow pairs(String name, PartReport report, Path folder) {
    return Flow.named("pairs")
        .source("count", counting(NUMBERS))
        .reservoir(Reservoir.random().withWindow(4))
        .stage("pair", () -> new Pairs(report))
        .build();
  }

  private static void pairsOfAll(PartReport report) {
    PartContract.requireSum(report, NUMBERS * (NUMBERS - 1L) / 2);
    int pairs = report.sorted().length;
    require(pairs == NUMBERS / 2, "%d pairs in place of %d", pairs, NUMBERS / 2);
  }

  private static Flow sizes(String name, PartReport report, Path folder) {
    return Flow.named("sizes")
        .source("count", () -> new Counting(0, NUMBERS, 100_000), 2)
        .reservoir(Reservoir.roundRobin().withWindow(5))
        .stage("pass", PartGraphs::pass)
        .reservoir(Reservoir.roundRobin().withWindow(3))
        .stage("collect", () -> new InOrder(report))
        .build();
  }

  // -- Early ends.

  private static Flow head(String name, PartReport report, Path folder) {
    return Flow.named("head")
        .source("forever", counting(Long.MAX_VALUE), 2)
        .reservoir(Reservoir.random())
        .stage("pass", PartGraphs::pass, 2)
        .reservoir(Reservoir.random())
        .stage("head", () -> new Head(report, EARLY))
        .build();
  }

  private static void early(PartReport report) {
    PartContract.requireWell(report);
    int came = report.sorted().length;
    require(came == EARLY, "%d numbers came in place of %d", came, EARLY);
  }

  private static Flow goRound(Reservoir reservoir, PartReport report) {
    return Flow.named("reroute")
        .source("count", counting(NUMBERS), 2)
        .reservoir(reservoir.withWindow(2))
        .stage("collect", () -> new EndsFirst(report), 3)
        .build();
  }

  private static void allOrDiscarded(PartReport report) {
    PartContract.requireWell(report);
    long came = report.sorted().length;
    long discarded = report.discarded();
    require(
        came + discarded == NUMBERS, "%d came, %d were discarded of %d", came, discarded, NUMBERS);
    require(discarded <= 2 * 2, "more than was under way is discarded: %d", discarded);
  }

  private static Flow endsAtOnce(String name, PartReport report, Path folder) {
    return Flow.named("at-once")
        .source(
            "none",
            () ->
                out -> {
                  throw new EndOfStreamException();
                },
            2)
        .reservoir(Reservoir.lottery())
        .stage("end", () -> new Finishing(report))
        .build();
  }

  private static Flow policyEnds(String name, PartReport report, Path folder) {
    Policy first =
        (view, random) -> {
          if (view.last() >= 0 && view.serviceNanos(0) > 0) {
            return Policy.END;
          }
          return view.credits(0) > 0 ? 0 : Policy.WAIT;
        };
    return Flow.named("policy")
        .source("forever", counting(Long.MAX_VALUE))
        .reservoir(Reservoir.of(first))
        .stage("collect", () -> collect(report), 2)
        .build();
  }

  /// A flow whose replicas of one stage stop after some waters each. Its sources go on until then.
  private static Flow stops(String stage, Runnable how) {
    return Flow.named("stopping")
        .source("first", () -> new Stopping(stage.equals("first") ? how : null), 2)
        .reservoir(Reservoir.lottery().withWindow(3))
        .stage("middle", () -> new Stopping(stage.equals("middle") ? how : null), 2)
        .reservoir(Reservoir.leastOutstanding().withWindow(3))
        .stage("last", () -> new Stopping(stage.equals("last") ? how : null), 2)
        .build();
  }

  private static void fail() {
    throw new IllegalArgumentException(ON_PURPOSE);
  }

  private static void end() {
    throw new EndOfStreamException();
  }

  private static void failed(PartReport report) {
    List<String> failures = report.failures();
    require(
        failures.stream().anyMatch(each -> each.contains(ON_PURPOSE)),
        "no part tells the cause: %s",
        failures);
    require(
        failures.stream().allMatch(each -> each.contains(ON_PURPOSE) || each.contains("has lost")),
        "a part has failed for another reason: %s",
        failures);
  }

  // -- Files.

  private static Check feedAndDrain() {
    Graph graph =
        (name, report, folder) ->
            Flow.named("files")
                .stage("read", PartGraphs::pass)
                .feed("read", FileStream.reading(folder.resolve("in"), Long.BYTES))
                .reservoir(Reservoir.lottery().withWindow(3))
                .stage("pass", PartGraphs::pass, 3)
                .reservoir(Reservoir.roundRobin().withWindow(3))
                .stage("write", PartGraphs::pass)
                .drain("write", FileStream.writing(folder.resolve("out"), false))
                .build();
    OnFiles before =
        (folder, report) -> {
          ByteBuffer bytes =
              ByteBuffer.allocate(NUMBERS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
          for (long number = 0; number < NUMBERS; number++) {
            bytes.putLong(number);
          }
          Files.write(folder.resolve("in"), bytes.array());
        };
    OnFiles after =
        (folder, report) -> {
          byte[] bytes = Files.readAllBytes(folder.resolve("out"));
          LongBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
          while (numbers.hasRemaining()) {
            report.collect(numbers.get());
          }
          all(report);
        };
    return new Check("feedsAndDrainsAreWhereTheirModuleIs", graph, before, after);
  }

  // -- Modules.

  static void put(Stream out, long number) {
    put(out, number, Long.BYTES);
  }

  private static void put(Stream out, long number, int bytes) {
    Water water = out.spring().createWater(bytes);
    water.bytes().setLong(bytes - Long.BYTES, number);
    water.bytes().setLong(0, number);
    out.put(water);
  }

  static long number(Water water) {
    long number = water.bytes().getLong(0);
    require(
        water.bytes().getLong(water.size() - Long.BYTES) == number,
        "water %d ends with another number",
        number);
    return number;
  }

  private static Module pass() {
    return (in, out) -> out.put(in);
  }

  private static Module collect(PartReport report) {
    return (in, out) -> report.collect(number(in));
  }

  private static Supplier<Source> counting(long end) {
    return () -> new Counting(0, end, Long.BYTES);
  }

  /// Knows where it is.
  abstract static class Joined {
    private @Nullable ModuleContext context;

    final void join(ModuleContext its) {
      context = its;
    }

    final ModuleContext context() {
      ModuleContext its = context;
      if (its == null) {
        throw new IllegalStateException("it was not initialized");
      }
      return its;
    }
  }

  /// Puts the numbers of its stage that are its own, in waters of up to some size.
  private static final class Counting extends Joined implements Source {
    private final long end;
    private final int mostBytes;
    private long next;

    Counting(long first, long end, int mostBytes) {
      this.next = first;
      this.end = end;
      this.mostBytes = mostBytes;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
      next += its.replica();
    }

    @Override
    public boolean produce(Stream out) {
      if (next < end) {
        int room = mostBytes >>> context().random().nextInt(14);
        put(out, next, Math.max(Long.BYTES, room & -Long.BYTES));
        next += context().replicas();
      }
      return next < end;
    }
  }

  private record Finishing(PartReport report) implements Module {
    @Override
    public void process(Water in, Stream out) {
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      report.count(FINISHED);
    }
  }

  /// Adds up, and puts the sum at the end.
  private static final class Sum implements Module {
    private long sum;

    @Override
    public void process(Water in, Stream out) {
      sum += number(in);
    }

    @Override
    public void finish(Stream out) {
      put(out, sum);
    }
  }

  /// Sends each number to the replica of its remainder.
  private static final class Partition extends Joined implements Module {
    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      long number = number(in);
      put(context().route((int) (number % context().routes())), number);
    }
  }

  private static final class OfOneRest extends Joined implements Module {
    private final PartReport report;

    OfOneRest(PartReport report) {
      this.report = report;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      long number = number(in);
      int replica = context().replica();
      require(number % context().replicas() == replica, "%d came to %d", number, replica);
      report.collect(number);
    }
  }

  /// Puts even numbers to one output and odd ones to another. If there is a limit, the numbers
  /// below it come from `low`.
  private static final class Split extends Joined implements Module {
    private final String even;
    private final String odd;
    private final long limit;

    Split(String even, String odd, long limit) {
      this.even = even;
      this.odd = odd;
      this.limit = limit;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      long number = number(in);
      String from = context().from();
      require(
          limit < 0 || from.equals(number < limit ? "low" : "high"), "%d is from %s", number, from);
      context().output(number % 2 == 0 ? even : odd).put(in);
    }
  }

  private record Parity(PartReport report, int rest) implements Module {
    @Override
    public void process(Water in, Stream out) {
      require(number(in) % 2 == rest, "%d came to rest %d", number(in), rest);
      report.collect(number(in));
    }
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

  /// Takes two waters at a time.
  private static final class Pairs extends Joined implements Module {
    private final PartReport report;

    Pairs(PartReport report) {
      this.report = report;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      Water other = context().inputs().getFirst().get();
      if (other == null) {
        throw new IllegalStateException("number %d is alone".formatted(number(in)));
      }
      report.collect(number(in) + number(other));
      other.release();
    }
  }

  /// Requires the numbers of each of two sources to come in their order.
  private static final class InOrder implements Module {
    private final PartReport report;
    private final Map<Long, Long> latest = new HashMap<>();

    InOrder(PartReport report) {
      this.report = report;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = number(in);
      Long before = latest.put(number % 2, number);
      require(before == null || before < number, "%d came after %s", number, before);
      report.collect(number);
    }
  }

  private static final class Head implements Module {
    private final PartReport report;
    private int left;

    Head(PartReport report, int most) {
      this.report = report;
      this.left = most;
    }

    @Override
    public void process(Water in, Stream out) {
      report.collect(number(in));
      if (--left == 0) {
        throw new EndOfStreamException();
      }
    }
  }

  /// Replica 0 ends at its first water.
  private static final class EndsFirst extends Joined implements Module {
    private final PartReport report;

    EndsFirst(PartReport report) {
      this.report = report;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    @Override
    public void process(Water in, Stream out) {
      report.collect(number(in));
      if (context().replica() == 0) {
        throw new EndOfStreamException("enough");
      }
    }
  }

  /// Passes waters on, or makes them; and stops after some of them in a way, if there is one.
  private static final class Stopping extends Joined implements Source, Module {
    private final @Nullable Runnable how;
    private int left = EARLY;

    Stopping(@Nullable Runnable how) {
      this.how = how;
    }

    @Override
    public void init(ModuleContext its) {
      join(its);
    }

    private void stopIfDue() {
      if (how != null && --left <= 0) {
        how.run();
      }
    }

    @Override
    public boolean produce(Stream out) {
      stopIfDue();
      put(out, left);
      return true;
    }

    @Override
    public void process(Water in, Stream out) {
      stopIfDue();
      if (!context().outputNames().isEmpty()) {
        out.put(in);
      }
    }
  }
}
