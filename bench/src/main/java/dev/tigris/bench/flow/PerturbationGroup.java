package dev.tigris.bench.flow;

import dev.tigris.bench.Better;
import dev.tigris.bench.Estimate;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.cli.demo.Balancing;
import dev.tigris.cli.demo.PerturbedReservoir;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// What a reservoir still carries when some of its consumers are slow, on the real engine: the
/// set-up of eight consumers against the ideal, and the paper's own against the paper's shares.
///
/// Each round runs every policy and every number of slow consumers once, so that all of them see
/// the same disturbances. A figure's peer is what no policy could exceed, and for the paper's
/// set-up also what the paper reached, as a share of its own rate without slow consumers.
final class PerturbationGroup implements Group {
  private static final String IDEAL = "ideal";
  private static final String PAPER = "paper";

  /// What the paper says was left of the unperturbed bandwidth: over 90 % with two of four slow, 56
  /// % with three, and with all four what they take, 4 x 34.27 of 1181.58 Mbit/s.
  private static final Map<Integer, Double> PAPER_SHARES = Map.of(2, 0.90, 3, 0.56, 4, 0.116);

  private final String name;
  private final int mostSlow;
  private final IntFunction<PerturbedReservoir> setUp;
  private final boolean ofThePaper;

  private PerturbationGroup(
      String name, int mostSlow, IntFunction<PerturbedReservoir> setUp, boolean ofThePaper) {
    this.name = name;
    this.mostSlow = mostSlow;
    this.setUp = setUp;
    this.ofThePaper = ofThePaper;
  }

  /// Eight consumers, none to seven of them slow.
  static PerturbationGroup ofEight() {
    return new PerturbationGroup("flow.reservoir", 7, PerturbedReservoir::ofEight, false);
  }

  /// Four to four, as in the paper's figure 5.
  static PerturbationGroup ofThePaper() {
    return new PerturbationGroup("paper.tigris.fig5", 4, PerturbedReservoir::ofThePaper, true);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int slow = 0; slow <= mostSlow; slow++) {
      for (Balancing balancing : Balancing.values()) {
        figures.add(figure(slow, balancing));
      }
    }
    return figures;
  }

  private String figure(int slow, Balancing balancing) {
    return name + ".slow" + slow + "." + balancing.label();
  }

  @Override
  public void measure(Run run) throws Exception {
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    int rounds = run.scale().pick(1, 2, 5);
    Duration duration = Duration.ofMillis(run.scale().pick(100, 600, 800));
    for (int round = 0; round < rounds; round++) {
      run.say(name + ": round " + (round + 1) + " of " + rounds);
      for (int slow = 0; slow <= mostSlow; slow++) {
        PerturbedReservoir reservoir = setUp.apply(slow).lasting(duration);
        for (Balancing balancing : Balancing.values()) {
          String figure = figure(slow, balancing);
          if (run.wants(figure)) {
            rates
                .computeIfAbsent(figure, key -> new ArrayList<>())
                .add(reservoir.run(balancing).watersPerSecond());
          }
        }
      }
    }
    for (int slow = 0; slow <= mostSlow; slow++) {
      for (Balancing balancing : Balancing.values()) {
        List<Double> measured = rates.get(figure(slow, balancing));
        if (measured != null) {
          double ideal = setUp.apply(slow).idealWatersPerSecond();
          report(run, slow, balancing, measured, ideal, rates.get(figure(0, balancing)));
        }
      }
    }
  }

  private void report(
      Run run,
      int slow,
      Balancing balancing,
      List<Double> measured,
      double ideal,
      @Nullable List<Double> unperturbed) {
    String figure = figure(slow, balancing);
    double[] subjects = measured.stream().mapToDouble(Double::doubleValue).toArray();
    double[] ideals = measured.stream().mapToDouble(rate -> ideal).toArray();
    run.emit(Figure.of(figure, "water/s", Better.HIGHER, IDEAL, fork(subjects, ideals)));
    Double paper = PAPER_SHARES.get(slow);
    if (ofThePaper && paper != null && unperturbed != null) {
      double whole = Estimate.median(unperturbed.stream().mapToDouble(rate -> rate).toArray());
      double[] shares = new double[subjects.length];
      for (int i = 0; i < shares.length; i++) {
        shares[i] = subjects[i] / whole;
      }
      double[] papers = measured.stream().mapToDouble(rate -> paper).toArray();
      run.emit(Figure.of(figure, "of slow0", Better.HIGHER, PAPER, fork(shares, papers)));
    }
  }

  private static List<Pairs> fork(double[] subjects, double[] peers) {
    return List.of(new Pairs(subjects, peers));
  }
}
