package dev.tigris.cli.demo;

import dev.tigris.cli.demo.PerturbedReservoir.Outcome;
import dev.tigris.flow.FlowException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The experiment of the demo: what each policy carries as 0 to 7 of 8 consumers get slow, and the
/// results as text.
public final class SlowConsumers {
  /// The policies compared, in the order of the table.
  public static final List<Balancing> POLICIES =
      List.of(
          Balancing.ROUND_ROBIN, Balancing.RANDOM, Balancing.LOTTERY, Balancing.LEAST_OUTSTANDING);

  /// The largest number of slow consumers; one stays healthy.
  static final int MOST_SLOW = 7;

  private static final int BAR_COLUMNS = 50;

  private final Map<Balancing, List<Outcome>> outcomes = new EnumMap<>(Balancing.class);

  /// Runs everything, and prints a bar for each run as it comes.
  public static SlowConsumers measure(Duration run, PrintStream out, boolean isUnicode)
      throws FlowException, InterruptedException {
    var measured = new SlowConsumers();
    for (Balancing policy : POLICIES) {
      // Once for nothing: the first run of a policy also loads and compiles it.
      PerturbedReservoir.ofEight(MOST_SLOW).lasting(run.dividedBy(4)).run(policy);
      out.printf("%n  %s%n", policy.label());
      var row = new ArrayList<Outcome>();
      for (int slow = 0; slow <= MOST_SLOW; slow++) {
        Outcome outcome = PerturbedReservoir.ofEight(slow).lasting(run).run(policy);
        row.add(outcome);
        out.printf("    %d slow %s%n", slow, bar(outcome, isUnicode));
        out.flush();
      }
      measured.outcomes.put(policy, row);
    }
    return measured;
  }

  /// Returns the outcomes of a policy, by the number of slow consumers.
  List<Outcome> of(Balancing policy) {
    return Objects.requireNonNull(outcomes.get(policy));
  }

  /// Returns the rates that no policy could exceed, by the number of slow consumers.
  List<Double> ideals() {
    return of(Balancing.LOTTERY).stream().map(Outcome::idealWatersPerSecond).toList();
  }

  /// Returns a line for the ideal in waters a second, and one for each policy in percent of it.
  public List<String> table() {
    var lines = new ArrayList<String>();
    var head = new StringBuilder("  %-18s".formatted("slow consumers"));
    var best = new StringBuilder("  %-18s".formatted("best, waters/s"));
    for (int slow = 0; slow <= MOST_SLOW; slow++) {
      head.append("%7d".formatted(slow));
      best.append("%,7.0f".formatted(ideals().get(slow)));
    }
    lines.add(head.toString());
    lines.add(best.toString());
    for (Balancing policy : POLICIES) {
      var line = new StringBuilder("  %-18s".formatted(policy.label()));
      of(policy).forEach(outcome -> line.append("%5.0f %%".formatted(100 * outcome.share())));
      lines.add(line.toString());
    }
    return lines;
  }

  /// Draws the rate that was reached as a bar of the ideal's length.
  static String bar(Outcome outcome, boolean isUnicode) {
    double most = PerturbedReservoir.ofEight(0).idealWatersPerSecond();
    int ideal = (int) Math.round(BAR_COLUMNS * outcome.idealWatersPerSecond() / most);
    int reached = (int) Math.min(ideal, Math.round(ideal * outcome.share()));
    return "%s%s%s %,6.0f/s %3.0f %%"
        .formatted(
            (isUnicode ? "█" : "#").repeat(reached),
            (isUnicode ? "░" : ".").repeat(ideal - reached),
            " ".repeat(BAR_COLUMNS - ideal),
            outcome.watersPerSecond(),
            100 * outcome.share());
  }
}
