package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The cost of checks in multiplication (Chang 1999, figure 3.7). The paper's compiler can leave
/// checks out. HotSpot cannot, so the peer is C without them. The other modes keep checks that
/// HotSpot leaves out.
final class ChecksGroup implements Group {
  private static final String NAME = "paper.jbufs.fig3.7";

  /// The shares of the time of a loop that are left without its checks, in percent.
  private static final double WITHOUT_BOUNDS = 50;

  /// A way in which HotSpot treats checks.
  ///
  /// @param isOfBounds whether the paper tells a share that it goes beside
  private record Mode(String suffix, List<String> flags, List<String> sides, boolean isOfBounds) {}

  private static final List<Mode> MODES =
      List.of(
          new Mode(
              "", List.of(), List.of(ChecksSuite.ARRAY, ChecksSuite.JBUF, ChecksSuite.C), true),
          // Checks of bounds stay in their loops.
          new Mode(
              ".bounds",
              List.of(
                  "-XX:-RangeCheckElimination",
                  "-XX:-UseLoopPredicate",
                  "-XX:-UseProfiledLoopPredicate"),
              List.of(ChecksSuite.ARRAY, ChecksSuite.JBUF),
              true),
          // Checks for null are instructions, and not faults.
          new Mode(
              ".nulls",
              List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-ImplicitNullChecks"),
              List.of(ChecksSuite.ARRAY, ChecksSuite.JBUF),
              false));

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> missing() {
    return CTwin.missing(NAME);
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (CTwin.isAvailable()) {
      for (Mode mode : MODES) {
        suiteFigures(mode).forEach(each -> figures.add(figure(mode, each)));
      }
    }
    return figures;
  }

  private static List<String> suiteFigures(Mode mode) {
    List<String> figures = new ArrayList<>();
    for (int size : ColumnSuite.SIZES) {
      mode.sides.forEach(side -> figures.add(ColumnSuite.figure(side, size)));
    }
    return figures;
  }

  private static String figure(Mode mode, String figure) {
    int at = figure.indexOf('.');
    return NAME + "." + figure.substring(0, at) + mode.suffix + figure.substring(at);
  }

  @Override
  public void measure(Run run) throws Exception {
    for (Mode mode : MODES) {
      List<String> wanted =
          suiteFigures(mode).stream().filter(each -> run.wants(figure(mode, each))).toList();
      if (!wanted.isEmpty()) {
        Plan plan = Plan.of(run.scale(), 2, 5).withFlags(mode.flags);
        Map<Forks.Key, List<Pairs>> all = Forks.run(ChecksSuite.class, run, plan, wanted).orThrow();
        all.forEach((key, forks) -> emit(run, mode, figure(mode, key.figure()), forks));
      }
    }
  }

  private static void emit(Run run, Mode mode, String figure, List<Pairs> forks) {
    run.emit(Figure.of(figure, "ns", Better.LOWER, ChecksSuite.PEER, forks));
    if (mode.isOfBounds) {
      List<Pairs> shares =
          forks.stream()
              .map(each -> each.map((ours, its) -> 100 * its / ours, (_, _) -> WITHOUT_BOUNDS))
              .toList();
      run.emit(
          Figure.of(figure, "%", Better.HIGHER, Bar.PAPER, shares)
              .withNote("Marmot, 1999: checks of bounds are 40 to 60 % of the time"));
    }
  }
}
