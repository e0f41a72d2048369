package dev.tigris.bench.cluster;

import dev.tigris.cli.demo.PerturbedReservoir;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.policy.Policy;
import java.time.Duration;
import java.util.List;

/// Producers of one process put waters into a reservoir, and eight consumers of another one take
/// them, some of which are slow.
final class Perturbed implements Experiment {
  static final String NAME = "perturbed";

  /// A rule by which the producers choose.
  enum Rule {
    LOTTERY("lottery"),
    LEAST_OUTSTANDING("least-outstanding"),

    /// The one of the next four consumers that has the least backlog, as Flink 2.3 has it
    /// (FLIP-339, with four channels to be looked at).
    FLINK("flink");

    final String label;

    Rule(String label) {
      this.label = label;
    }

    private Reservoir reservoir() {
      return switch (this) {
        case LOTTERY -> Reservoir.lottery();
        case LEAST_OUTSTANDING -> Reservoir.leastOutstanding();
        case FLINK -> Reservoir.of(leastBacklogOfFour());
      };
    }
  }

  private static final int NEIGHBOURS = 4;

  private final PerturbedReservoir.Trial trial;

  private Perturbed(PerturbedReservoir.Trial trial) {
    this.trial = trial;
  }

  private static Policy leastBacklogOfFour() {
    return (view, random) -> {
      int best = -1;
      int looked = 0;
      for (int i = 1; i <= view.streams() && looked < NEIGHBOURS; i++) {
        int stream = (view.last() + i) % view.streams();
        if (view.isOpen(stream)) {
          looked++;
          best = best < 0 || view.outstanding(stream) < view.outstanding(best) ? stream : best;
        }
      }
      return view.credits(best) > 0 ? best : Policy.WAIT;
    };
  }

  /// Returns the set-up for a number of slow consumers.
  static PerturbedReservoir setUp(int slow, Duration duration) {
    return PerturbedReservoir.ofEight(slow).lasting(duration);
  }

  static String command(int slow, Rule rule, Duration duration) {
    return "%s %d %s %d".formatted(NAME, slow, rule, duration.toMillis());
  }

  /// Returns an experiment whose second process finds how many waters were finished in a second.
  static Experiment of(List<String> setUp) {
    int slow = Integer.parseInt(setUp.get(0));
    Rule rule = Rule.valueOf(setUp.get(1));
    Duration duration = Duration.ofMillis(Long.parseLong(setUp.get(2)));
    return new Perturbed(setUp(slow, duration).trial(rule.reservoir()));
  }

  @Override
  public Flow flow() {
    return trial.flow();
  }

  @Override
  public List<Double> numbers() {
    double rate = trial.outcome().watersPerSecond();
    return rate == 0 ? List.of() : List.of(rate);
  }
}
