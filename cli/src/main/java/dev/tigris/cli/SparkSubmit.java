package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Flow;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.net.Fabric;
import dev.tigris.os.Folders;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
  private static final long PATIENCE_SECONDS = 20;

  /// One class of each module that executors need.
  private static final List<Class<?>> NEEDED =
      List.of(Folders.class, Jbuf.class, Fabric.class, Bundle.class, Flow.class, Cluster.class);

  private final String home;
  private final @Nullable String java;

  /// The numbers that the program has told.
  private final Map<String, Long> results = new TreeMap<>();

  private int attempts = 1;
  private String folder = "";
  private String failure = "";

  private SparkSubmit(String home, @Nullable String java) {
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
    return new SparkSubmit(home, environment.get("JAVA_HOME"));
  }

  /// Runs a program, and returns when it has ended.
  ///
  /// @throws CommandException if it has failed
  void run(ParseResult options, ProgramFile program, Console console)
      throws CommandException, IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(words(options, program));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    if (java == null) {
      String _ = builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    }
    Process child = builder.start();
    child.getOutputStream().close();
    try (RunLine line = new RunLine(console, options);
        BufferedReader lines = child.inputReader()) {
      Thread reader =
          Thread.ofPlatform()
              .daemon()
              .name("tigris-spark-lines")
              .start(() -> readAll(lines, line, console));
      int code = child.waitFor();
      reader.join();
      refuse(code);
    } catch (InterruptedException e) {
      end(child);
      throw e;
    } finally {
      child.destroyForcibly();
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

  private void readAll(BufferedReader lines, RunLine line, Console console) {
    try {
      for (String read = lines.readLine(); read != null; read = lines.readLine()) {
        if (read.startsWith(LINE)) {
          take(read.substring(LINE.length()), line);
        } else {
          console.err().println(read); // of the program, or of Spark
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

  private List<String> words(ParseResult options, ProgramFile program) throws CommandException {
    Path jar = program.path().getFirst();
    if (Files.isDirectory(jar)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "'%s' is a folder, and Spark brings jars to its executors: make a jar of it"
              .formatted(program.file()));
    }
    List<String> words = new ArrayList<>();
    words.add(Path.of(home, "bin", "spark-submit").toString());
    words.addAll(List.of("--master", RunOptions.on(options).substring(SPARK.length())));
    words.addAll(List.of("--deploy-mode", "client", "--name", "tigris", "--class", MAIN));
    words.addAll(List.of(CONF, "spark.ui.showConsoleProgress=false"));
    words.addAll(List.of(CONF, "spark.log.level=WARN"));
    List<String> confs = options.matchedOptionValue(CONF, List.of());
    for (String conf : confs) {
      words.addAll(List.of(CONF, conf));
    }
    List<String> jars = new ArrayList<>();
    for (Path each : program.path().subList(1, program.path().size())) {
      jars.add(each.toString());
    }
    for (Path each : ownJars()) {
      jars.add(each.toString());
    }
    words.addAll(List.of("--jars", String.join(",", jars)));
    words.add(jar.toString());
    words.addAll(RunOptions.submitted(options));
    words.add(program.flow().getName());
    words.addAll(List.of(RunOptions.words(options)));
    return words;
  }

  private static List<Path> ownJars() throws CommandException {
    List<Path> jars = new ArrayList<>();
    for (Class<?> each : NEEDED) {
      jars.add(jarOf(each));
    }
    jars.add(sparkJar(jars.getLast()));
    return jars;
  }

  private static Path jarOf(Class<?> type) throws CommandException {
    try {
      Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (!Files.isDirectory(place)) {
        return place;
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // told below
    }
    throw new CommandException(
        ExitCode.CANNOT_START,
        "%s is in no jar, and Spark brings jars to its executors: start the command by ./tigris"
            .formatted(type.getName()));
  }

  /// Module spark lies beside the others, or in the checkout that they are of: it is built apart,
  /// since that needs the jars of Spark.
  private static Path sparkJar(Path cluster) throws CommandException {
    try {
      for (Path at = cluster.getParent(); at != null; at = at.getParent()) {
        for (Path folder : List.of(at, at.resolve("spark/target"))) {
          Path found = Files.isDirectory(folder) ? sparkJarIn(folder) : null;
          if (found != null) {
            return found;
          }
        }
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.CANNOT_START, Reason.of(e), e);
    }
    throw new CommandException(
        ExitCode.CANNOT_START,
        "there is no tigris-spark-*.jar beside %s: build it by './tigris mvn -pl spark -am package -DskipTests'"
            .formatted(cluster));
  }

  private static @Nullable Path sparkJarIn(Path folder) throws IOException {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(folder, "tigris-spark-*[!s].jar")) { // no sources
      var each = jars.iterator();
      return each.hasNext() ? each.next() : null;
    }
  }
}
