package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowSnapshot;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Who is called slow, and who is not.
class CulpritTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MILLI = 1_000_000;

  private final FakeRun run = new FakeRun();
  private final Events events = new Events("1f", Clock.systemUTC());
  private final Watcher watcher = new Watcher(run, events, new Changes());

  /// Whether one replica of `work` takes ten times as long.
  private boolean hasOdd;

  /// Sets what all replicas of a stage do in each second.
  private record Work(String stage, int replicas, long calls, long service, long in, long out) {}

  private @Nullable Culprit after(Work... works) {
    for (int second = 1; second <= 4; second++) {
      run.elapsedNanos = second * SECOND;
      for (Work each : works) {
        for (int replica = 0; replica < each.replicas(); replica++) {
          run.set(
              each.stage(),
              replica,
              second * each.calls(),
              each.service(),
              second * each.in() * MILLI,
              second * each.out() * MILLI);
        }
      }
      if (hasOdd) {
        run.set("work", 2, second * 10L, 90 * MILLI, 0, 0);
      }
      watcher.look();
    }
    return watcher.seen().culprit();
  }

  @Test
  void theStageBehindTheLastThatWaitsForCreditIsSlow() {
    Culprit culprit =
        after(
            new Work("read", 4, 100, MILLI, 0, 900),
            new Work("work", 4, 100, MILLI, 0, 900),
            new Work("write", 4, 100, 10 * MILLI, 10, 0));
    assertEquals("write", culprit.name());
    assertTrue(
        culprit.reason().contains("work waits for credit 90 % of the time"), culprit::reason);
    assertEquals(1, events.after(0).stream().filter(e -> e.kind().equals("culprit")).count());
  }

  /// The flow of a run in which a second program takes a share of what `read` puts.
  private static FlowGraph withGuest() {
    List<FlowGraph.Stage> stages =
        List.of(
            new FlowGraph.Stage("read", 4, true, "round-robin", false),
            new FlowGraph.Stage("work.taken", 0, false, "round-robin", false),
            new FlowGraph.Stage("work.takers", 0, false, "round-robin", false));
    List<FlowGraph.Edge> edges =
        List.of(
            new FlowGraph.Edge("read", "work.taken", "work", "lottery", 16, "memory", ""),
            new FlowGraph.Edge(
                "work.taken", "work.takers", "work.takers", "round-robin", 16, "memory", ""));
    return new FlowGraph("test", stages, edges, List.of(), List.of(), false, null);
  }

  @Test
  void aSecondProgramCanBeTheLimit() {
    run.graph = withGuest();
    Culprit culprit =
        after(
            new Work("read", 4, 100, MILLI, 0, 900), new Work("work.taken", 2, 100, MILLI, 0, 800));
    assertEquals("work.takers", culprit.name());
    assertTrue(culprit.reason().contains("another program is behind it"), culprit::reason);
  }

  @Test
  void theReplicasOfAStageAreToldBehindThoseBeforeIt() {
    run.graph = withGuest();
    Culprit _ =
        after(
            new Work("work.taken", 2, 100, MILLI, 0, 800), new Work("read", 1, 100, MILLI, 0, 900));
    assertEquals(
        List.of("read0", "work.taken0", "work.taken1"),
        watcher.seen().load().ordered(run.graph).stream()
            .map(r -> r.stage() + r.replica())
            .toList());
  }

  @Test
  void aVictimInTheMiddleIsNotSlow() {
    Culprit culprit =
        after(
            new Work("read", 4, 100, MILLI, 0, 900),
            new Work("work", 4, 100, 10 * MILLI, 0, 0),
            new Work("write", 4, 100, MILLI, 900, 0));
    assertEquals("work", culprit.name());
  }

  @Test
  void theOddReplicaOfAStageIsNamed() {
    hasOdd = true;
    Culprit culprit =
        after(new Work("read", 4, 100, MILLI, 0, 900), new Work("work", 4, 100, 9 * MILLI, 100, 0));
    assertEquals("work[2]", culprit.name());
    assertTrue(culprit.reason().contains("10.0 times the median"), culprit::reason);
  }

  /// A balanced reservoir keeps all of them busy.
  @Test
  void theOddReplicaIsNamedThoughAllAreBusy() {
    hasOdd = true;
    Culprit culprit =
        after(new Work("read", 4, 100, MILLI, 0, 900), new Work("work", 4, 100, 9 * MILLI, 0, 0));
    assertEquals("work[2]", culprit.name());
  }

  @Test
  void aSlowCallerAndAnIdleRunAreBlamedOnNobody() {
    assertNull(
        after(
            new Work("read", 1, 1, MILLI, 990, 0),
            new Work("work", 4, 1, MILLI, 990, 0),
            new Work("write", 4, 1, MILLI, 990, 0)));
    assertTrue(
        events.after(0).stream().noneMatch(each -> each.kind().equals("stuck")),
        events.after(0)::toString);
  }

  @Test
  void aSourceThatOthersWaitForIsTheLimit() {
    Culprit culprit =
        after(
            new Work("read", 2, 100, 10 * MILLI, 0, 0),
            new Work("work", 4, 50, MILLI, 950, 0),
            new Work("write", 4, 50, MILLI, 950, 0));
    assertEquals("read", culprit.name());
  }

  @Test
  void aReplicaThatWorksInOneCallIsToldOnce() {
    for (int second = 1; second <= 30; second++) {
      run.elapsedNanos = second * SECOND;
      run.set("work", 0, 7, MILLI, 0, 0);
      run.set("write", 0, 7, MILLI, second * SECOND, 0);
      watcher.look();
    }
    List<Events.Event> stuck =
        events.after(0).stream().filter(each -> each.kind().equals("stuck")).toList();
    assertEquals(1, stuck.size(), stuck::toString);
    assertTrue(stuck.getFirst().text().startsWith("work[0]"), stuck::toString);
  }

  @Test
  void aReplicaThatIsStuckInAFileIsToldSo() {
    for (int second = 1; second <= 30; second++) {
      run.elapsedNanos = second * SECOND;
      run.set(3, new FlowSnapshot.Replica("write", 0, 7, MILLI, 0, 0, second * SECOND, false));
      watcher.look();
    }
    List<Events.Event> stuck =
        events.after(0).stream().filter(each -> each.kind().equals("stuck")).toList();
    assertEquals(1, stuck.size(), stuck::toString);
    assertEquals(
        "write[0] in process 3 has been with files for 12 seconds without a call",
        stuck.getFirst().text());
  }

  @Test
  void theHistoryIsBoundedAndOfTheWholeRun() {
    for (int second = 1; second <= 5 * Watcher.MOST_HISTORY; second++) {
      run.elapsedNanos = second * SECOND;
      run.set("work", 0, second, MILLI, 0, 0);
      watcher.look();
    }
    assertTrue(watcher.history().size() <= Watcher.MOST_HISTORY);
    assertTrue(watcher.history().size() > Watcher.MOST_HISTORY / 3);
    assertEquals(2.0, watcher.history().getFirst().get("elapsedSeconds")); // two looks tell a rate
  }

  @Test
  void anotherAttemptIsToldAndMeasuredByItself() {
    Culprit _ = after(new Work("read", 1, 100, MILLI, 0, 0));
    run.attempt = 2;
    run.elapsedNanos = 5 * SECOND;
    run.set("read", 0, 1, MILLI, 0, 0);
    watcher.look();
    run.elapsedNanos = 6 * SECOND;
    run.set("read", 0, 11, MILLI, 0, 0);
    watcher.look();
    assertEquals(10.0, watcher.seen().load().replicas().getFirst().callsPerSecond());
    assertTrue(events.after(0).toString().contains("attempt 2 has begun"));
  }
}
