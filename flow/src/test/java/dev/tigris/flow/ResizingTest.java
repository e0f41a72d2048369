package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A stage gets more replicas and fewer while waters flow, and each water is worked once, in the
/// order of its stream.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ResizingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private final AtomicBoolean hasEnough = new AtomicBoolean();
  private final AtomicLong put = new AtomicLong();
  private final CountDownLatch some = new CountDownLatch(100);

  private boolean produce(Stream out) {
    Numbers.put(out, put.getAndIncrement());
    some.countDown();
    return !hasEnough.get();
  }

  /// Checks that what comes on each stream is in its order.
  private static final class Ordered implements Module {
    private final Numbers.Collected to;
    private final long[] last = new long[1000];
    private @Nullable ModuleContext context;

    Ordered(Numbers.Collected to) {
      this.to = to;
      Arrays.fill(last, -1);
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      long number = Numbers.number(in);
      int stream = context.inputs().indexOf(context.input());
      if (number <= last[stream]) {
        throw new IllegalStateException(number + " follows " + last[stream]);
      }
      last[stream] = number;
      to.add(number);
    }
  }

  private FlowRun started(Numbers.Collected collected) {
    return Flow.named("resized")
        .source("s", () -> this::produce, 1)
        .reservoir(Reservoir.lottery().withWindow(2))
        .stage("m", () -> (in, out) -> out.put(in), 2)
        .reservoir(Reservoir.leastOutstanding().withWindow(2))
        .stage("e", () -> new Ordered(collected), 2)
        .build()
        .start();
  }

  private static long working(FlowRun run, String stage) {
    return run.snapshot().replicas().stream()
        .filter(each -> each.stage().equals(stage) && !each.isEnded())
        .count();
  }

  @Test
  void aStageGrowsAndShrinksWhileWatersFlow() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowRun run = started(collected);
    some.await();
    for (int count : new int[] {4, 1, 3, 2, 2}) {
      run.resize("m", count).get(50, TimeUnit.SECONDS);
      assertEquals(count, working(run, "m"));
      run.resize("e", 5 - count).get(50, TimeUnit.SECONDS);
      assertEquals(5 - count, working(run, "e"));
    }
    hasEnough.set(true);
    assertTrue(run.await(PATIENCE));
    assertEquals(put.get(), collected.count());
    assertEquals(put.get(), collected.sorted().stream().distinct().count());
    assertEquals(6, run.snapshot().replicas().stream().filter(r -> r.stage().equals("m")).count());
  }

  /// Puts by routes, as many as there are in each call, and wants a stream of its own.
  private final class ByRoutes implements Source {
    private final Set<Integer> counts;
    private ModuleContext context;

    ByRoutes(Set<Integer> counts) {
      this.counts = counts;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      counts.add(context.routes());
      long number = put.getAndIncrement();
      Numbers.put(context.route((int) (number % context.routes())), number);
      some.countDown();
      return !hasEnough.get();
    }
  }

  @Test
  void aStageBehindChangingRoutesIsResizedToo() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Set<Integer> counts = ConcurrentHashMap.newKeySet();
    FlowRun run =
        Flow.named("routed")
            .source("s", () -> new ByRoutes(counts), 1)
            .reservoir(Reservoir.routed().withWindow(2).withChangingRoutes())
            .stage("e", () -> new Ordered(collected), 2)
            .build()
            .start();
    some.await();
    for (int count : new int[] {4, 1, 3, 2}) {
      run.resize("e", count).get(50, TimeUnit.SECONDS);
      assertEquals(count, working(run, "e"));
      long before = put.get();
      Wait.until("the flow goes on", () -> put.get() > before + 100);
    }
    hasEnough.set(true);
    assertTrue(run.await(PATIENCE));
    assertEquals(put.get(), collected.count());
    assertEquals(put.get(), collected.sorted().stream().distinct().count());
    assertTrue(counts.containsAll(Set.of(1, 2, 3, 4)), counts::toString);
    assertThrows(
        IllegalStateException.class, () -> Reservoir.lottery().withChangingRoutes().withWindow(1));
  }

  /// The only replica works on its last water when the stage is to grow: a new one would end at
  /// once, and so would each that followed it.
  @Test
  void aStageThatGetsNothingMoreDoesNotGrow() throws Exception {
    CountDownLatch isWorking = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    FlowRun run =
        Flow.named("late")
            .source("s", Numbers.counting(0, 1))
            .reservoir(Reservoir.lottery())
            .stage(
                "m",
                () ->
                    (in, out) -> {
                      isWorking.countDown();
                      mayEnd.await();
                    })
            .build()
            .start();
    isWorking.await();
    Wait.until("the source ends", () -> working(run, "s") == 0);
    try {
      refuses(run, "m", 3, "gets nothing more");
    } finally {
      mayEnd.countDown();
    }
    assertTrue(run.await(PATIENCE));
    assertEquals(1, run.snapshot().replicas().stream().filter(r -> r.stage().equals("m")).count());
  }

  private void refuses(FlowRun run, String stage, int count, String why) {
    ExecutionException refused =
        assertThrows(
            ExecutionException.class, () -> run.resize(stage, count).get(50, TimeUnit.SECONDS));
    IllegalStateException cause = assertInstanceOf(IllegalStateException.class, refused.getCause());
    assertTrue(String.valueOf(cause.getMessage()).contains(why), cause::getMessage);
  }

  @Test
  void whatIsNotPossibleIsRefusedAndChangesNothing() throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    FlowRun run = started(collected);
    refuses(run, "x", 2, "there is no stage 'x'");
    refuses(run, "m", 0, "0 replicas");
    refuses(run, "s", 2, "source s");
    hasEnough.set(true);
    assertTrue(run.await(PATIENCE));
    refuses(run, "m", 3, "has ended");
    FlowRun routed =
        Flow.named("routed")
            .source("s", () -> out -> false)
            .reservoir(Reservoir.routed())
            .stage("e", () -> (in, out) -> {})
            .build()
            .start();
    refuses(routed, "e", 2, "routed reservoir e");
  }

  /// Whatever ends meanwhile: each change is done or refused, and each stream that one end has, the
  /// other end gets.
  @Property(tries = 300)
  void eachChangeEnds(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Flow flow =
        Flow.named("any")
            .source("s", () -> out -> false, 1 + random.nextInt(3))
            .reservoir(Reservoir.lottery())
            .stage("m", () -> (in, out) -> {}, 1 + random.nextInt(3))
            .reservoir(Reservoir.lottery())
            .stage("e", () -> (in, out) -> {}, 1 + random.nextInt(3))
            .build();
    Team team = new Team(flow);
    List<End> ended = new ArrayList<>();
    for (int change = 0; change < 6; change++) {
      int count = 1 + random.nextInt(5);
      if (team.resize("m", count) != null) {
        boolean isVain = team.replicas("s").isEmpty() || team.replicas("e").isEmpty();
        assertTrue(
            team.replicas("m").isEmpty() || (isVain && count > team.replicas("m").size()),
            "it is refused only when the stage has ended, or its neighbours have");
        return;
      }
      finish(team, ended, random);
      if (!ended.isEmpty() || team.change() != null) {
        continue;
      }
      assertEquals(count, team.replicas("m").size());
    }
  }

  private static void finish(Team team, List<End> ended, SplittableRandom random) {
    List<Resizing.Step> open = new ArrayList<>();
    Set<End> left = new HashSet<>();
    while (true) {
      Resizing change = team.change();
      if (change == null) {
        return;
      }
      change.checkInvariants();
      open.addAll(change.next());
      if (!open.isEmpty()) {
        Resizing.Step step = open.remove(random.nextInt(open.size()));
        boolean isLate = ended.contains(step.module());
        if (!isLate && random.nextInt(40) == 0 && !step.module().equals(change.replica())) {
          ended.add(step.module());
          isLate = true;
        }
        if (!change.grows() && random.nextInt(4) == 0) {
          team.ended(change.replica()); // heard before the answers of its senders
          left.add(change.replica());
        }
        change.answered(step.number(), isLate ? Answer.ENDED : Answer.APPLIED);
        change.answered(step.number(), Answer.APPLIED); // again, to no effect
        if (isLate && random.nextBoolean()) {
          team.ended(step.module());
        }
      } else if (change.phase() == Resizing.Phase.LEAVE) {
        assertFalse(left.contains(change.replica()), "it waits for what it has heard");
        team.ended(change.replica());
      } else if (team.settle()) {
        ended.forEach(team::ended);
        return;
      }
    }
  }
}
