package dev.tigris.bench.call;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Calls over one provider beside gRPC: the latency at a fixed rate, from the time at which a call
/// was to begin, and calls one after the other as fast as they go, per thread that calls.
final class CallGroup implements Group {
  private static final int[] SIZES = {32, 288, 1344};
  private static final int ROUNDS = 5;

  private final String provider;

  CallGroup(String provider) {
    this.provider = provider;
  }

  @Override
  public String name() {
    return "call." + provider;
  }

  private String figure(String what, int bytes) {
    return "%s.%s.%dB".formatted(name(), what, bytes);
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int bytes : SIZES) {
      figures.add(figure("latency", bytes));
      figures.add(figure("latency.p999", bytes));
      figures.add(figure("throughput", bytes));
    }
    return figures;
  }

  /// A server and a client in processes of their own.
  private record Pair(Process server, Process client, BufferedReader answers, Writer questions)
      implements AutoCloseable {
    static Pair start(String name) throws IOException {
      Process server = process(name, "serve");
      Process client = null;
      try {
        String first = String.valueOf(server.inputReader().readLine());
        if (!first.startsWith("listening ")) {
          throw new IOException("%s does not listen: %s".formatted(name, first));
        }
        client = process(name, "measure", first.substring("listening ".length()));
        return new Pair(server, client, client.inputReader(), client.outputWriter());
      } finally {
        if (client == null) {
          server.destroyForcibly();
        }
      }
    }

    private static Process process(String name, String... arguments) throws IOException {
      List<String> words = new ArrayList<>();
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      words.add("--enable-native-access=ALL-UNNAMED");
      String options = System.getProperty("tigris.bench.workerOptions", "");
      words.addAll(List.of(options.isBlank() ? new String[0] : options.strip().split(" +", -1)));
      words.addAll(List.of("-cp", System.getProperty("java.class.path")));
      words.addAll(List.of(CallWorkerMain.class.getName(), name));
      words.addAll(List.of(arguments));
      return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    double[] ask(String question) throws IOException {
      questions.write(question + "\n");
      questions.flush();
      String answer = answers.readLine();
      if (answer == null) {
        throw new IOException("no answer to: " + question);
      }
      return Arrays.stream(answer.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    @Override
    public void close() throws IOException {
      try {
        questions.close(); // ends the client, which closes its connection
        boolean _ = client.waitFor(2, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        client.destroyForcibly();
        server.destroyForcibly();
      }
    }
  }

  /// Values of both, round by round.
  private static final class Both {
    private final double[][] values = new double[2][ROUNDS];

    List<Pairs> pairs() {
      return List.of(new Pairs(values[0], values[1]));
    }
  }

  @Override
  public void measure(Run run) throws Exception {
    int calls = run.scale().pick(20, 2_000, 10_000);
    int perSecond = run.scale().pick(1_000, 2_000, 2_000);
    int millis = run.scale().pick(5, 300, 2_000);
    int warmUp = run.scale().pick(5, 1_500, 5_000);
    Map<String, Both> all = new LinkedHashMap<>();
    figures().forEach(figure -> all.put(figure, new Both()));
    run.say("%s, beside gRPC at %d calls a second".formatted(name(), perSecond));
    try (Pair ours = Pair.start(provider);
        Pair theirs = Pair.start(GrpcCaller.NAME)) {
      List<Pair> sides = List.of(ours, theirs);
      for (int bytes : SIZES) {
        for (Pair side : sides) {
          double[] _ = side.ask("throughput %d %d".formatted(bytes, warmUp));
        }
        for (int round = 0; round < ROUNDS; round++) {
          for (int side = 0; side < 2; side++) {
            double[] latency =
                sides.get(side).ask("latency %d %d %d".formatted(bytes, perSecond, calls));
            double[] throughput = sides.get(side).ask("throughput %d %d".formatted(bytes, millis));
            both(all, "latency", bytes).values[side][round] = latency[0];
            both(all, "latency.p999", bytes).values[side][round] = latency[1];
            both(all, "throughput", bytes).values[side][round] =
                throughput[0] / throughput[1] * 1e9;
          }
        }
      }
    }
    all.forEach(
        (figure, both) -> {
          boolean isRate = figure.contains("throughput");
          if (run.wants(figure)) {
            run.emit(
                Figure.of(
                        figure,
                        isRate ? "1/s" : "ns",
                        isRate ? Better.HIGHER : Better.LOWER,
                        Bar.GRPC,
                        both.pairs())
                    .withNote(
                        isRate
                            ? "one call after the other, by one thread"
                            : "at %d calls a second".formatted(perSecond)));
          }
        });
  }

  private Both both(Map<String, Both> all, String what, int bytes) {
    Both known = all.get(figure(what, bytes));
    if (known == null) {
      throw new IllegalStateException("no figure of " + what);
    }
    return known;
  }
}
