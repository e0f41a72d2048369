package dev.tigris.bench.shuffle;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Home;
import dev.tigris.bench.Run;
import dev.tigris.bench.sort.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// An engine beside us, by a program of its own kind: a Maven project that is built when it is
/// first measured. Maven fetches the engine's jars. No module of Tigris knows them.
///
/// @param name as a peer
/// @param folder of the project, with its jars
/// @param java the JDK that runs it
/// @param options of the JVM, and environment before it
/// @param main its class
record Rival(String name, Path folder, Path java, List<String> options, String main) {
  /// The newest JDK that Flink 2.3 supports is 21. This names its home.
  private static final String JAVA_21 = "TIGRIS_BENCH_JAVA21";

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
    Path java = Path.of(System.getProperty("java.home"));
    Optional<Path> built = build(run, work, Bar.SPARK, "spark", "SparkRival");
    if (built.isEmpty()) {
      return Optional.empty();
    }
    List<String> words = new ArrayList<>();
    words.addAll(List.of("SPARK_HOME=" + built.get(), "SPARK_SCALA_VERSION=2.13"));
    words.addAll(List.of("SPARK_LOCAL_IP=127.0.0.1", "JAVA_HOME=" + java));
    return Optional.of(new Rival(Bar.SPARK, built.get(), java, words, "SparkRival"));
  }

  /// Makes Flink; empty where it cannot be had, which the run is told.
  static Optional<Rival> flink(Run run, Path work) throws IOException, InterruptedException {
    String home = System.getenv(JAVA_21);
    if (home == null) {
      run.say("%s: %s names no JDK 21, so Flink is left out".formatted(Bar.FLINK_ENGINE, JAVA_21));
      return Optional.empty();
    }
    Path java = Path.of(home);
    return build(run, work, Bar.FLINK_ENGINE, "flink", "FlinkRival")
        .map(built -> new Rival(Bar.FLINK_ENGINE, built, java, List.of(), "FlinkRival"));
  }

  private static Optional<Path> build(Run run, Path work, String name, String project, String main)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(work.resolve(project));
    Path sources = Files.createDirectories(folder.resolve("src/main/java"));
    copy(project + ".xml", folder.resolve("pom.xml"));
    copy(main + ".java", sources.resolve(main + ".java"));
    Command maven =
        Command.of(
            Home.launcher().toString(),
            "mvn",
            "-q",
            "-B",
            "-ntp",
            "-f",
            folder.resolve("pom.xml").toString(),
            "package",
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            "-DoutputDirectory=" + folder.resolve("jars"));
    Command.Outcome outcome = maven.run(work);
    if (outcome.exit() != 0) {
      run.say("%s is left out, since Maven cannot build it: %s".formatted(name, outcome.output()));
      return Optional.empty();
    }
    return Optional.of(folder);
  }

  private static void copy(String resource, Path to) throws IOException {
    try (InputStream in = Rival.class.getResourceAsStream(resource)) {
      Files.copy(Objects.requireNonNull(in, resource), to);
    }
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
    words.addAll(List.of("-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
    words.addAll(List.of("-cp", jar() + ":" + folder.resolve("jars") + "/*", main, jar()));
    words.addAll(List.of(Integer.toString(processes), Integer.toString(cores)));
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    return new Command(words);
  }

  private String jar() {
    return folder.resolve("target/%s-1.jar".formatted(folder.getFileName())).toString();
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
