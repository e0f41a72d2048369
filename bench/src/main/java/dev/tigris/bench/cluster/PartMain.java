package dev.tigris.bench.cluster;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.net.Fabric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/// The program of each of two processes that run a flow. Arguments: its number, and a provider. The
/// first stage runs in process 0, and the second one in process 1. For each experiment it reads
/// and prints these lines, until its input ends:
///
/// ```text
///   reads   NUMBER-OF-THE-RUN NAME SET-UP...
///   prints  where it listens
///   reads   where process 0 listens, and where process 1 does
///   prints  the numbers that it has found
/// ```
public final class PartMain {
  private PartMain() {}

  /// Runs experiments; any exception ends the process with an error.
  public static void main(String[] arguments) throws Exception {
    int self = Integer.parseInt(arguments[0]);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Fabric fabric = Fabric.open(arguments[1])) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        List<String> words = List.of(line.split(" ", -1));
        Experiment experiment = Experiment.named(words.get(1), words.subList(2, words.size()));
        run(Long.parseLong(words.getFirst()), self, experiment, fabric, input);
      }
    }
  }

  private static void run(
      long run, int self, Experiment experiment, Fabric fabric, BufferedReader input)
      throws Exception {
    Flow flow = experiment.flow();
    String first = flow.graph().stages().getFirst().name();
    try (Exchange exchange = new Exchange(run, 0, StreamOptions.DEFAULT)) {
      String address = fabric.provider().equals("shm") ? "*" : "127.0.0.1:0";
      String _ = exchange.listen(fabric, address);
      System.out.println(exchange.reach());
      List<Reach> both = List.of(Reach.of(read(input)), Reach.of(read(input)));
      flow.start(exchange.part(flow, replica -> replica.name().equals(first) ? 0 : 1, self, both))
          .await();
    }
    System.out.println(
        experiment.numbers().stream().map(String::valueOf).collect(Collectors.joining(" ")));
  }

  private static String read(BufferedReader input) throws IOException {
    String line = input.readLine();
    if (line == null) {
      throw new IOException("the bench has ended");
    }
    return line;
  }
}
