package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Bandwidth through a reservoir over a network, as the number of processes that write into it and
/// read out of it is scaled. Each process has a network namespace whose link has one rate, so that
/// what is lost is lost by the reservoir and its streams, and eight processes fit a small machine.
///
/// The ideal is that of all links: their rate, less the headers of TCP, IP and Ethernet.
///
/// Source: *Tigris* (Welsh and Culler, 2000, section 4, figure 4), which lost 12 % with 8 nodes.
final class ScalingGroup implements Group {
  private static final String NAME = "paper.tigris.fig4";
  private static final List<String> POLICIES = List.of("round-robin", "random", "lottery");
  private static final int MOST = 4;
  private static final int MEGABITS = 40;

  private static final double IDEAL_MB = MEGABITS / 8.0 * Switch.PAYLOAD;

  @Override
  public String name() {
    return NAME;
  }

  private static String figure(int nodes, String policy) {
    return "%s.%dto%d.%s".formatted(NAME, nodes, nodes, policy);
  }

  @Override
  public List<String> missing() {
    return Nodes.missing(NAME);
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int nodes = 1; nodes <= MOST; nodes++) {
      for (String policy : POLICIES) {
        figures.add(figure(nodes, policy));
      }
    }
    return Nodes.figures(figures);
  }

  @Override
  public void measure(Run run) throws Exception {
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    int rounds = run.scale().pick(1, 2, 7);
    try (Nodes nodes = new Nodes(2 * MOST, MEGABITS, Main.class)) {
      long number = 1;
      if (run.scale() != Scale.TINY) {
        double _ = rate(nodes, MOST, POLICIES.getLast(), number++, run); // JVMs get warm
      }
      for (int round = 1; round <= rounds; round++) {
        run.say("%s, round %d of %d".formatted(NAME, round, rounds));
        for (int count = 1; count <= MOST; count++) {
          for (String policy : POLICIES) {
            String figure = figure(count, policy);
            if (run.wants(figure)) {
              rates
                  .computeIfAbsent(figure, key -> new ArrayList<>())
                  .add(rate(nodes, count, policy, number++, run));
            }
          }
        }
      }
    }
    rates.forEach((figure, each) -> run.emit(figure(figure, each)));
  }

  private static Figure figure(String name, List<Double> rates) {
    double[] ours = rates.stream().mapToDouble(Double::doubleValue).toArray();
    double[] ideal = new double[ours.length];
    int nodes = Character.digit(name.charAt(NAME.length() + 1), 10);
    Arrays.fill(ideal, nodes * IDEAL_MB);
    return Figure.of(name, "MB/s", Better.HIGHER, Bar.IDEAL, List.of(new Pairs(ours, ideal)))
        .withNote("links of %d Mbit/s".formatted(MEGABITS));
  }

  /// Returns how many megabytes a second come out of the reservoir.
  private static double rate(Nodes nodes, int count, String policy, long number, Run run)
      throws IOException, InterruptedException {
    List<NodeProcess> senders = nodes.range(0, count);
    List<NodeProcess> receivers = nodes.range(MOST, MOST + count);
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(receivers.get(i).ask("receive %d %d %d".formatted(number, i, count)));
    }
    for (int i = 0; i < count; i++) {
      String _ =
          senders
              .get(i)
              .ask("send %d %d %s %s".formatted(number, i, policy, String.join(" ", addresses)));
    }
    TimeUnit.MILLISECONDS.sleep(run.scale().pick(200, 700, 1000)); // buckets empty, windows full
    List<long[]> before = counts(receivers);
    TimeUnit.MILLISECONDS.sleep(run.scale().pick(300, 1500, 4000));
    List<long[]> after = counts(receivers);
    double rate = 0;
    for (int i = 0; i < count; i++) {
      long nanos = after.get(i)[1] - before.get(i)[1];
      rate += (after.get(i)[0] - before.get(i)[0]) * 1e3 / nanos;
    }
    long sent = 0;
    long received = 0;
    for (NodeProcess sender : senders) {
      sent += Long.parseLong(sender.ask("end"));
    }
    for (NodeProcess receiver : receivers) {
      received += Long.parseLong(receiver.ask("end"));
    }
    WrongResultException.check("bytes out of the reservoir", sent, received);
    return rate;
  }

  private static List<long[]> counts(List<NodeProcess> nodes) throws IOException {
    List<long[]> counts = new ArrayList<>();
    for (NodeProcess node : nodes) {
      String[] words = node.ask("count").split(" ", -1);
      counts.add(new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
    }
    return counts;
  }
}
