package dev.tigris.bench.shuffle;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Run;
import dev.tigris.bench.engine.Jdks;
import dev.tigris.bench.engine.MavenJars;
import dev.tigris.bench.engine.PeerProgram;
import dev.tigris.bench.sort.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An engine beside us, by a program of its own kind.
///
/// @param name as a peer
/// @param program what it runs, with its jars
/// @param folder for what it prints, and its temporary files
/// @param java the JDK that runs it
/// @param options the environment of its JVMs
/// @param main its class
record Rival(
    String name, PeerProgram program, Path folder, Path java, List<String> options, String main) {
  private static final List<String> SPARK = List.of("org.apache.spark:spark-sql_2.13:4.2.0");
  private static final List<String> FLINK =
      List.of("org.apache.flink:flink-clients:2.3.0", "org.slf4j:slf4j-simple:1.7.36");

  /// The release of Java that compiles for both.
  private static final int RELEASE = 17;

  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.text",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  /// The result of one of its runs: the last of the jobs that it has done one after the other.
  ///
  /// @param seconds of the job
  /// @param count of the records that arrived
  /// @param keys their sum, or 0 where no record has a taker of its own
  record Outcome(double seconds, long count, long keys) {}

  /// Makes Spark, on this JDK; empty where it cannot be had, which the run is told.
  static Optional<Rival> spark(Run run, Path work) throws IOException, InterruptedException {
    Optional<PeerProgram> compiled = compile(run, work, Bar.SPARK, "SparkRival", SPARK);
    if (compiled.isEmpty()) {
      return Optional.empty();
    }
    PeerProgram program = compiled.get();
    Path java = Path.of(System.getProperty("java.home"));
    List<String> words = new ArrayList<>();
    words.addAll(List.of("SPARK_HOME=" + program.home(work), "SPARK_SCALA_VERSION=2.13"));
    words.addAll(List.of("SPARK_LOCAL_IP=127.0.0.1", "JAVA_HOME=" + java));
    words.add("SPARK_LOCAL_DIRS=" + work);
    return Optional.of(new Rival(Bar.SPARK, program, work, java, words, "SparkRival"));
  }

  /// Makes an application of Spark in whose executors there are flows; empty where Spark cannot be
  /// had, which the run is told.
  ///
  /// @param own jars of ours
  static Optional<Rival> inSpark(Run run, Path work, List<Path> own)
      throws IOException, InterruptedException {
    Optional<Rival> spark = spark(run, work);
    if (spark.isEmpty()) {
      return Optional.empty();
    }
    Rival rival = spark.get();
    List<Path> jars = new ArrayList<>(rival.program.jars());
    jars.add(rival.program.jar());
    jars.addAll(own);
    String main = "SparkInside";
    int release = Runtime.version().feature();
    PeerProgram program = PeerProgram.compile(work, Rival.class, main, jars, release);
    return Optional.of(new Rival(Bar.SPARK, program, work, rival.java, rival.options, main));
  }

  /// Makes Flink; empty where it cannot be had, which the run is told.
  static Optional<Rival> flink(Run run, Path work) throws IOException, InterruptedException {
    Optional<Path> java = Jdks.flink();
    if (java.isEmpty()) {
      run.say("%s is left out: no JDK for it, set %s".formatted(Bar.FLINK_ENGINE, Jdks.FLINK_JAVA));
      return Optional.empty();
    }
    return compile(run, work, Bar.FLINK_ENGINE, "FlinkRival", FLINK)
        .map(
            program ->
                new Rival(Bar.FLINK_ENGINE, program, work, java.get(), List.of(), "FlinkRival"));
  }

  private static Optional<PeerProgram> compile(
      Run run, Path work, String name, String main, List<String> artifacts)
      throws IOException, InterruptedException {
    Optional<List<Path>> jars = MavenJars.of(work, artifacts.toArray(String[]::new));
    if (jars.isEmpty()) {
      run.say("%s is left out: Maven cannot fetch it".formatted(name));
      return Optional.empty();
    }
    return Optional.of(PeerProgram.compile(work, Rival.class, main, jars.get(), RELEASE));
  }

  /// Returns the command for a number of processes.
  ///
  /// @param cores of each process
  Command command(int processes, int cores, Object... arguments) {
    List<String> words = new ArrayList<>(List.of("env"));
    words.addAll(options);
    words.add(java.resolve("bin/java").toString());
    for (String opened : OPENED) {
      words.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    words.add("--enable-native-access=ALL-UNNAMED");
    words.add("-Djava.io.tmpdir=" + folder); // it leaves files there when it is killed
    words.addAll(List.of("-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
    words.addAll(List.of("-cp", program.classPath(), main, program.jar().toString()));
    words.addAll(List.of(Integer.toString(processes), Integer.toString(cores)));
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    return new Command(words);
  }

  /// Runs the command of some jobs, and returns what the last one has told.
  Outcome last(Command command) throws IOException, InterruptedException {
    String output = command.run(folder).orThrow(command).output();
    long keys = output.contains("keys ") ? (long) number(output, "keys") : 0;
    return new Outcome(number(output, "seconds"), (long) number(output, "count"), keys);
  }

  private static double number(String output, String word) throws IOException {
    return output
        .lines()
        .filter(line -> line.startsWith(word + " "))
        .reduce((_, later) -> later)
        .map(line -> Double.parseDouble(line.substring(word.length() + 1)))
        .orElseThrow(() -> new IOException("no '%s' in: %s".formatted(word, output)));
  }
}
