package dev.tigris.bench.matrix;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Multiplication on one processor (Chang 1999, figure 3.6): the papers' loops over Jbufs, and a
/// kernel, then and now.
final class LoopGroup implements Group {
  private static final String NAME = "paper.jbufs.fig3.6";
  private static final String UNIT = "Mflop/s";

  /// A number of the paper.
  private record Then(double speed, String side) {}

  private static final Map<String, Then> THEN =
      Map.of(
          "unroll4.64", new Then(70, "Marmot"),
          "unroll4.256", new Then(55, "JDK; Marmot has 45, Jview 37"),
          "kernel.64", new Then(400, "Intel's DGEMM"));

  @Override
  public String name() {
    return NAME;
  }

  private static List<String> suiteFigures() {
    List<String> figures = new ArrayList<>();
    for (int size : ColumnSuite.SIZES) {
      ColumnSuite.LOOPS.forEach(loop -> figures.add(ColumnSuite.figure(loop, size)));
    }
    return figures;
  }

  @Override
  public List<String> figures() {
    return suiteFigures().stream().map(figure -> NAME + "." + figure).toList();
  }

  @Override
  public void measure(Run run) throws Exception {
    List<String> wanted =
        suiteFigures().stream().filter(figure -> run.wants(NAME + "." + figure)).toList();
    Plan plan = Plan.of(run.scale(), 2, 5).withFlags(MatrixGroups.VECTORS);
    Map<Forks.Key, List<Pairs>> all = Forks.run(ColumnSuite.class, run, plan, wanted).orThrow();
    all.forEach(
        (key, forks) -> {
          double flops = 2e3 * ColumnSuite.size(key.figure()); // in a microsecond, if in 1 ns
          String figure = NAME + "." + key.figure();
          List<Pairs> speeds =
              forks.stream()
                  .map(each -> each.map((ours, _) -> flops / ours, (_, its) -> flops / its))
                  .toList();
          run.emit(Figure.of(figure, UNIT, Better.HIGHER, key.peer(), speeds));
          Then then = THEN.get(key.figure());
          if (then != null && key.peer().equals(Bar.ARRAY)) {
            List<Pairs> beside =
                speeds.stream()
                    .map(each -> each.map((ours, _) -> ours, (_, _) -> then.speed))
                    .toList();
            run.emit(
                Figure.of(figure, UNIT, Better.HIGHER, Bar.PAPER, beside)
                    .withNote("450 MHz Pentium II, 1999: " + then.side));
          }
        });
  }
}
