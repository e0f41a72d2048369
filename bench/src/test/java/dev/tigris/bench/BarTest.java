package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarTest {
  private static Figure figure(String name, String peer, double times, double low, double high) {
    return new Figure(
        name, 1, "ns", Better.LOWER, peer, times, times, 0.1, List.of(low, high), 9, 1, null);
  }

  private static Bar.Verdict judge(Figure figure) {
    return Bar.of(figure).orElseThrow().judge(figure);
  }

  @Test
  void aFigureMeetsMissesOrLeavesItsBarUndecided() {
    assertEquals(
        Bar.Verdict.MET, judge(figure("memory.field.straight8", "plain object", 0.8, 0.7, 0.9)));
    assertEquals(
        Bar.Verdict.UNDECIDED,
        judge(figure("memory.field.straight8", "plain object", 0.75, 0.7, 0.9)));
    assertEquals(
        Bar.Verdict.MISSED, judge(figure("memory.field.loop", "plain object", 0.5, 0.4, 0.6)));
  }

  @Test
  void theBarDependsOnThePeer() {
    assertEquals(Bar.Verdict.MISSED, judge(figure("sort.onepass", "GNU sort", 3.9, 3.8, 3.95)));
    assertEquals(Bar.Verdict.MET, judge(figure("sort.onepass", "cp + sync", 0.41, 0.4, 0.5)));
    assertEquals(
        Bar.Verdict.MET, judge(figure("flow.stream.memory.64B", "JCTools SPSC", 0.9, 0.8, 1)));
    assertEquals(
        Bar.Verdict.MISSED,
        judge(figure("flow.stream.memory.64B", "ArrayBlockingQueue", 0.9, 0.8, 1)));
  }

  @Test
  void onlyBalancingPoliciesHaveABar() {
    assertTrue(Bar.of(figure("flow.reservoir.slow3.lottery", "ideal", 1, 1, 1)).isPresent());
    assertTrue(
        Bar.of(figure("flow.reservoir.sim.512.slow7.least-outstanding", "ideal", 1, 1, 1))
            .isPresent());
    assertTrue(Bar.of(figure("flow.reservoir.slow3.round-robin", "ideal", 1, 1, 1)).isEmpty());
    assertTrue(Bar.of(figure("paper.tigris.fig5.slow3.routed", "paper", 1, 1, 1)).isEmpty());
  }

  @Test
  void countsAreHeldAgainstLimits() {
    Figure none = Figure.once("memory.field.crashes", 0, "processes", Better.LOWER, "limit", 0);
    Figure one = Figure.once("memory.field.crashes", 1, "processes", Better.LOWER, "limit", 0);

    assertEquals(Bar.Verdict.MET, judge(none));
    assertEquals(Bar.Verdict.MISSED, judge(one));
  }
}
