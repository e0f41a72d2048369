package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Home;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.Scale;
import dev.tigris.bench.engine.Jdks;
import dev.tigris.bench.engine.PeerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The time from a command, whose JVM is started for it, to the first water that a module gets: on
/// threads, on four processes, on four whose JVMs start from AOT caches of the program, and by
/// `tigris run`, whose processes start from the command's cache. The peers are the limit that runs
/// on processes are to keep, and Flink and Spark with as many tasks, on threads and in processes of
/// one host, where Maven can fetch them. A tiny run leaves these out.
final class StartGroup implements Group {
  private static final String NAME = "cluster.start";
  private static final String THREADS = NAME + ".threads";
  private static final String ON_PROCESSES = NAME + ".processes";
  private static final String CACHED = ON_PROCESSES + ".cached";
  private static final String COMMAND = NAME + ".command";
  private static final int PROCESSES = 4;
  private static final double LIMIT_MILLIS = 500;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return Home.hasJarsOnly()
        ? List.of(THREADS, ON_PROCESSES, CACHED, COMMAND)
        : List.of(THREADS, ON_PROCESSES, COMMAND);
  }

  @Override
  public List<String> missing() {
    return Home.hasJarsOnly()
        ? List.of()
        : List.of(CACHED + " is left out: an AOT cache needs a class path of jars");
  }

  @Override
  public void measure(Run run) throws Exception {
    Path work = Files.createTempDirectory(run.workFolder(), "start-");
    try {
      Map<String, List<Contender>> contests = contests(run, work);
      Map<String, Map<String, List<Double>>> millis = new LinkedHashMap<>();
      int rounds = run.scale().pick(1, 3, 9);
      for (int round = 0; round < rounds; round++) {
        run.say("%s: round %d of %d".formatted(NAME, round + 1, rounds));
        for (var contest : contests.entrySet()) {
          List<Contender> all = contest.getValue();
          for (int i = 0; i < all.size(); i++) {
            Contender next = all.get((i + round) % all.size());
            millis
                .computeIfAbsent(contest.getKey(), key -> new LinkedHashMap<>())
                .computeIfAbsent(next.name(), key -> new ArrayList<>())
                .add(start(next, work));
          }
        }
      }
      contests.forEach((figure, all) -> emit(run, figure, millis.getOrDefault(figure, Map.of())));
    } finally {
      RunFolder.deleteAll(work);
    }
  }

  private static void emit(Run run, String figure, Map<String, List<Double>> millis) {
    double[] ours = array(millis.getOrDefault("Tigris", List.of()));
    double[] limits = new double[ours.length];
    Arrays.fill(limits, LIMIT_MILLIS);
    emit(run, figure, Bar.LIMIT, new Pairs(ours, limits));
    millis.forEach(
        (name, its) -> {
          if (!name.equals("Tigris")) {
            emit(run, figure, name, new Pairs(ours, array(its)));
          }
        });
  }

  private static void emit(Run run, String figure, String peer, Pairs pairs) {
    run.emit(Figure.of(figure, "ms", Better.LOWER, peer, List.of(pairs)));
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private Map<String, List<Contender>> contests(Run run, Path work)
      throws IOException, InterruptedException {
    Map<String, List<Contender>> contests = new LinkedHashMap<>();
    int processes = run.scale().pick(2, PROCESSES, PROCESSES);
    for (String figure : run.wanted(figures())) {
      List<Contender> all = new ArrayList<>();
      all.add(
          switch (figure) {
            case CACHED -> TigrisContender.cached(processes, work);
            case COMMAND -> CommandContender.of(run.scale(), processes, work);
            case THREADS -> new TigrisContender(0, List.of(), List.of());
            default -> new TigrisContender(processes, List.of(), List.of());
          });
      contests.put(figure, all);
    }
    if (run.scale() != Scale.TINY) {
      addSpark(run, work, contests);
      addFlink(run, work, contests);
    }
    return contests;
  }

  /// The peers of runs on processes are those of [#ON_PROCESSES].
  private static boolean isMeasuredBefore(String figure) {
    return figure.equals(CACHED) || figure.equals(COMMAND);
  }

  private static void addSpark(Run run, Path work, Map<String, List<Contender>> contests)
      throws IOException, InterruptedException {
    Optional<PeerProgram> fetched = SparkContender.fetch(work);
    if (fetched.isEmpty()) {
      run.say("%s: Maven cannot fetch %s, which is left out".formatted(NAME, Bar.SPARK));
      return;
    }
    PeerProgram program = fetched.get();
    Path home = program.home(work);
    contests.forEach(
        (figure, all) -> {
          if (isMeasuredBefore(figure)) {
            return;
          }
          int executors = figure.equals(THREADS) ? 0 : PROCESSES;
          all.add(new SparkContender(program, home, executors, PROCESSES));
        });
  }

  private static void addFlink(Run run, Path work, Map<String, List<Contender>> contests)
      throws IOException, InterruptedException {
    Optional<PeerProgram> fetched = FlinkContender.fetch(work);
    Optional<Path> java = Jdks.flink();
    if (fetched.isEmpty() || java.isEmpty()) {
      run.say(
          "%s: %s is left out: %s"
              .formatted(
                  NAME,
                  Bar.FLINK_ENGINE,
                  fetched.isEmpty() ? "Maven cannot fetch it" : "no JDK for it"));
      return;
    }
    contests.forEach(
        (figure, all) -> {
          if (isMeasuredBefore(figure)) {
            return;
          }
          int managers = figure.equals(THREADS) ? 0 : PROCESSES;
          all.add(new FlinkContender(fetched.get(), java.get(), managers, PROCESSES));
        });
  }

  private static double start(Contender contender, Path work)
      throws IOException, InterruptedException {
    Path notes = Files.createTempDirectory(work, "notes-");
    long start = contender.start(work, notes);
    OptionalLong first = FirstWaters.first(notes, process -> true);
    if (first.isEmpty()) {
      throw new IOException(contender.name() + " has started no task");
    }
    return (first.getAsLong() - start) / 1e6;
  }
}
