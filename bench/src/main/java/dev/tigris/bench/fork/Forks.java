package dev.tigris.bench.fork;

import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The measurements of the processes of one plan.
///
/// @param pairs by contest, one element for each process that lived
/// @param crashes the last output of those that died
public record Forks(Map<Key, List<Pairs>> pairs, List<String> crashes) {
  private static final long TIMEOUT_SECONDS = 300;

  /// A contest's figure and peer.
  public record Key(String figure, String peer) {}

  /// Runs the plan's processes one after the other.
  public static Forks run(Class<? extends Suite> suite, Run run, Plan plan, List<String> figures)
      throws IOException, InterruptedException {
    Map<Key, List<Pairs>> pairs = new LinkedHashMap<>();
    List<String> crashes = new ArrayList<>();
    for (int fork = 1; fork <= plan.forks(); fork++) {
      run.say(
          suite.getSimpleName()
              + ", process "
              + fork
              + " of "
              + plan.forks()
              + (plan.flags().isEmpty() ? "" : " " + plan.flags()));
      Path output = Files.createTempFile(run.workFolder(), "fork-", ".out");
      Path errors = Files.createTempFile(run.workFolder(), "fork-", ".err");
      try {
        int exit = await(start(suite, run, plan, figures, output, errors));
        if (exit == 0) {
          parse(Files.readAllLines(output))
              .forEach(
                  (name, value) ->
                      pairs.computeIfAbsent(name, key -> new ArrayList<>()).add(value));
        } else {
          crashes.add("exit code " + exit + ": " + lastLines(Files.readAllLines(errors)));
        }
      } finally {
        Files.delete(output);
        Files.delete(errors);
      }
    }
    return new Forks(pairs, crashes);
  }

  /// Returns the pairs, or throws an exception if any process died.
  public Map<Key, List<Pairs>> orThrow() {
    if (!crashes.isEmpty()) {
      throw new IllegalStateException("A measuring process died: " + crashes.getFirst());
    }
    return pairs;
  }

  private static Process start(
      Class<? extends Suite> suite,
      Run run,
      Plan plan,
      List<String> figures,
      Path output,
      Path errors)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Djava.io.tmpdir=" + run.workFolder());
    command.addAll(plan.flags());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ForkMain.class.getName());
    command.add(suite.getName());
    command.add(run.scale().name());
    command.add(Integer.toString(plan.quietMillis()));
    command.add(Integer.toString(plan.sampleMillis()));
    command.add(Integer.toString(plan.pairs()));
    command.addAll(figures);
    return new ProcessBuilder(command)
        .redirectOutput(output.toFile())
        .redirectError(errors.toFile())
        .start();
  }

  private static int await(Process process) throws InterruptedException {
    try {
      if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      return -1;
    } finally {
      process.destroyForcibly();
    }
  }

  private static Map<Key, Pairs> parse(List<String> lines) {
    Map<Key, List<double[]>> all = new LinkedHashMap<>();
    for (String line : lines) {
      if (line.startsWith(ForkMain.PAIR)) {
        String[] words = line.split("\t", -1);
        all.computeIfAbsent(new Key(words[1], words[2]), key -> new ArrayList<>())
            .add(new double[] {Double.parseDouble(words[3]), Double.parseDouble(words[4])});
      }
    }
    Map<Key, Pairs> pairs = new LinkedHashMap<>();
    all.forEach(
        (name, values) ->
            pairs.put(
                name,
                new Pairs(
                    values.stream().mapToDouble(value -> value[0]).toArray(),
                    values.stream().mapToDouble(value -> value[1]).toArray())));
    return pairs;
  }

  private static String lastLines(List<String> lines) {
    List<String> last = lines.subList(Math.max(0, lines.size() - 8), lines.size());
    return String.join(" | ", last);
  }
}
