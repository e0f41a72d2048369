package dev.tigris.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/// A run in the executors of Spark: a child process, which the cluster's own `spark-submit` starts,
/// is the driver. It prints what becomes of the run, a line each.
final class SparkSubmit {
  /// Begins the place of such a run.
  static final String SPARK = "spark:";

  static final String WORKERS = "--workers";
  static final String CONF = "--conf";
  private static final String MAIN = "dev.tigris.spark.Main";
  private static final String LINE = "tigris ";

  /// The driver is ended by force after it, and so before this process ends.
  private static final long PATIENCE_SECONDS = 8;

  private final String home;
  private final Path java;

  /// The numbers that the program has told.
  private final Map<String, Long> results = new TreeMap<>();

  private int attempts = 1;
  private String folder = "";
  private String failure = "";

  /// Whether a command has run to its end, and has told how it has failed if it has.
  private boolean hasEnded;

  private SparkSubmit(String home, Path java) {
    this.home = home;
    this.java = java;
  }

  /// Finds Spark.
  ///
  /// @param environment of this process
  /// @throws CommandException if it does not say where Spark is
  static SparkSubmit of(Map<String, String> environment) throws CommandException {
    String home = environment.get("SPARK_HOME");
    if (home == null || home.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          "SPARK_HOME is not set: let it name the folder of the cluster's Spark 4.2, in which there is bin/spark-submit");
    }
    if (!Files.isExecutable(Path.of(home, "bin", "spark-submit"))) {
      throw new CommandException(
          ExitCode.USAGE,
          "SPARK_HOME is '%s', in which there is no bin/spark-submit: let it name the folder of the cluster's Spark 4.2"
              .formatted(home));
    }
    String own = System.getProperty("java.home");
    return new SparkSubmit(home, DriverJava.of(environment.get("JAVA_HOME"), Path.of(own)));
  }

  /// Runs a program, and returns when it has ended.
  ///
  /// @throws CommandException if it has failed
  void run(ParseResult options, ProgramFile program, Console console)
      throws CommandException, IOException, InterruptedException {
    if (Files.isDirectory(program.path().getFirst())) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "'%s' is a folder, and Spark brings jars to its executors: make a jar of it"
              .formatted(program.file()));
    }
    List<String> words = new ArrayList<>(List.of(program.flow().getName()));
    words.addAll(List.of(RunOptions.words(options)));
    refuse(submit(options, program.path(), words, console, console.err()));
  }

  /// Runs a sort by this command in the driver, and returns its exit code.
  ///
  /// @throws CommandException if the driver has ended before it
  ExitCode sort(ParseResult options, Console console)
      throws CommandException, IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(SortOnCluster.class.getName()));
    words.add(String.valueOf(console.columns()));
    words.addAll(options.originalArgs());
    int code = submit(options, SparkJars.ofSort(), words, console, console.out());
    if (!hasEnded) {
      refuse(code);
    }
    return Stream.of(ExitCode.values())
        .filter(each -> each.number() == code)
        .findFirst()
        .orElse(ExitCode.FAILED);
  }

  /// Runs a main class of ours, and returns the exit code.
  ///
  /// @param jars of the application, but for those that run flows
  /// @param words the program or command, and its arguments
  /// @param out takes what the application prints
  private int submit(
      ParseResult options, List<Path> jars, List<String> words, Console console, PrintStream out)
      throws CommandException, IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command(options, jars, words));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    String _ = builder.environment().put("JAVA_HOME", java.toString());
    Process child = builder.start();
    child.getOutputStream().close();
    try (RunLine line = new RunLine(console, options);
        BufferedReader lines = child.inputReader()) {
      Thread reader =
          Thread.ofPlatform()
              .daemon()
              .name("tigris-spark-lines")
              .start(() -> readAll(lines, line, out));
      try { // the reader holds the lines until the child has ended
        int code = child.waitFor();
        reader.join();
        return code;
      } catch (InterruptedException e) {
        end(child);
        throw e;
      } finally {
        child.destroyForcibly();
      }
    }
  }

  /// Its driver cancels the run, and Spark's job.
  private static void end(Process child) {
    child.destroy();
    boolean interrupted = false;
    try {
      boolean _ = child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void refuse(int code) throws CommandException {
    if (code == 0) {
      return;
    }
    String why =
        failure.isEmpty()
            ? "spark-submit has ended with %d before the program has: see what it has printed"
                .formatted(code)
            : failure;
    boolean isOutput = code == ExitCode.BAD_OUTPUT.number();
    throw new CommandException(isOutput ? ExitCode.BAD_OUTPUT : ExitCode.FAILED, why);
  }

  private void readAll(BufferedReader lines, RunLine line, PrintStream out) {
    try {
      for (String read = lines.readLine(); read != null; read = lines.readLine()) {
        if (read.startsWith(LINE)) {
          take(read.substring(LINE.length()), line);
        } else {
          out.println(read);
        }
      }
    } catch (IOException e) {
      // the child has ended, and its exit code says how
    }
  }

  private void take(String said, RunLine line) {
    int space = said.indexOf(' ');
    String text = said.substring(space + 1);
    switch (said.substring(0, Math.max(0, space))) {
      case "progress" -> line.show(text);
      case "attempts" -> attempts = Integer.parseInt(text);
      case "folder" -> folder = text;
      case "failed" -> failure = text;
      case "ended" -> hasEnded = true;
      case "result" -> {
        int last = text.lastIndexOf(' ');
        results.put(text.substring(0, last), Long.valueOf(text.substring(last + 1)));
      }
      default -> {}
    }
  }

  Map<String, Long> results() {
    return results;
  }

  int attempts() {
    return attempts;
  }

  String folder() {
    return folder;
  }

  // -- The command.

  private List<String> command(ParseResult options, List<Path> jars, List<String> words)
      throws CommandException {
    List<String> all = new ArrayList<>();
    all.add(Path.of(home, "bin", "spark-submit").toString());
    all.addAll(List.of("--master", RunOptions.on(options).substring(SPARK.length())));
    all.addAll(List.of("--deploy-mode", "client", "--name", "tigris", "--class", MAIN));
    all.addAll(List.of(CONF, "spark.ui.showConsoleProgress=false"));
    all.addAll(List.of(CONF, "spark.log.level=WARN"));
    List<String> confs = options.matchedOptionValue(CONF, List.of());
    for (String conf : confs) {
      all.addAll(List.of(CONF, conf));
    }
    List<Path> others = new ArrayList<>(jars.subList(1, jars.size()));
    others.addAll(SparkJars.ofFlows());
    String named = others.stream().map(Path::toString).collect(Collectors.joining(","));
    all.addAll(List.of("--jars", named));
    all.add(jars.getFirst().toString());
    all.addAll(RunOptions.submitted(options));
    all.addAll(words);
    return all;
  }
}
