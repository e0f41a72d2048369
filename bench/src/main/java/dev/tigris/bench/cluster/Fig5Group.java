package dev.tigris.bench.cluster;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.cluster.Perturbed.Rule;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The set-up of the papers' figure 5 over two processes: four producers in one, eight consumers in
/// the other, of which some are slow. The peers are what no policy could exceed, and Flink's rule.
///
/// Each round runs all rules, so that all of them see the same disturbances.
final class Fig5Group implements Group {
  private static final String NAME = "cluster.fig5";
  private static final List<Integer> SLOW = List.of(0, 1, 3, 5, 7);

  @Override
  public String name() {
    return NAME;
  }

  private static String figure(int slow, Rule rule) {
    return NAME + ".slow" + slow + "." + rule.label;
  }

  @Override
  public List<String> figures() {
    return SLOW.stream()
        .flatMap(slow -> Arrays.stream(Rule.values()).map(rule -> figure(slow, rule)))
        .toList();
  }

  private static String provider() {
    try {
      Fabric.open("shm").close();
      return "shm";
    } catch (NetException e) {
      return "tcp";
    }
  }

  @Override
  public void measure(Run run) throws Exception {
    int rounds = run.scale().pick(1, 2, 5);
    Duration duration = Duration.ofMillis(run.scale().pick(100, 300, 1000));
    try (PartPair pair = new PartPair(provider(), run.workFolder())) {
      for (int slow : SLOW) {
        boolean isWanted = Arrays.stream(Rule.values()).anyMatch(r -> run.wants(figure(slow, r)));
        if (isWanted) {
          run.say(NAME + ": " + slow + " of 8 are slow");
          measure(run, pair, slow, rounds, duration);
        }
      }
    }
  }

  private static void measure(Run run, PartPair pair, int slow, int rounds, Duration duration)
      throws IOException {
    Map<Rule, double[]> rates = new EnumMap<>(Rule.class);
    for (Rule rule : Rule.values()) {
      rates.put(rule, new double[rounds]);
    }
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<Rule, double[]> each : rates.entrySet()) {
        each.getValue()[round] = pair.run(Perturbed.command(slow, each.getKey(), duration))[0];
      }
    }
    double[] ideals = new double[rounds];
    Arrays.fill(ideals, Perturbed.setUp(slow, duration).idealWatersPerSecond());
    for (Map.Entry<Rule, double[]> each : rates.entrySet()) {
      emit(run, figure(slow, each.getKey()), Bar.IDEAL, each.getValue(), ideals);
      if (each.getKey() != Rule.FLINK) {
        double[] flink = rates.getOrDefault(Rule.FLINK, ideals);
        emit(run, figure(slow, each.getKey()), Bar.FLINK, each.getValue(), flink);
      }
    }
  }

  private static void emit(Run run, String figure, String peer, double[] rates, double[] peers) {
    List<Pairs> pairs = new ArrayList<>(List.of(new Pairs(rates, peers)));
    run.emit(Figure.of(figure, "water/s", Better.HIGHER, peer, pairs));
  }
}
