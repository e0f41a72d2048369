package dev.tigris.cli;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.flow.Results;
import dev.tigris.steering.ControlServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// A run that goes on without its shell: a *supervisor*, which is this command once more, in a
/// process of its own, coordinates it. Signals of the terminal do not reach the supervisor. It
/// writes how the run ends into the folder of the run.
///
/// ```
///   tigris run --detach  --starts-->  tigris run --supervisor
///        |                                 | starts the run
///        |<-- "started FOLDER" ------------| when all processes have described the flow
///     ends with 0                          | goes on until the run ends
/// ```
///
/// A supervisor that ends before it says so has failed to start the run, and what it has printed
/// and its exit code are those of the command.
final class Detached {
  static final String DETACH = "--detach";
  static final String SUPERVISOR = "--supervisor";

  /// The name of the supervisor's log in the folder of the run.
  private static final String LOG = "supervisor.log";

  /// The word by which the supervisor says that the run has started; its folder follows.
  private static final String STARTED = "started ";

  /// A shell lets Java ignore the signals of a terminal.
  private static final List<String> SHELL =
      List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

  /// Options that belong to one process, or stand elsewhere on its command line.
  private static final List<String> OWN =
      List.of(
          "-Djava.class.path=",
          "-Djdk.module.",
          "--module-path",
          "-agentlib:jdwp",
          "-XX:StartFlightRecording",
          "-Dtigris.columns=");

  private Detached() {}

  // -- The command that starts it.

  static ExitCode start(ParseResult options, Console console)
      throws CommandException, IOException, InterruptedException {
    Path runs = RunOptions.runs(options);
    Files.createDirectories(runs);
    Path log =
        Files.createTempFile(
            runs,
            ".supervisor",
            ".log",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Process process =
        new ProcessBuilder(words(options, log))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(log.toFile())
            .start();
    String said;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      said = reader.readLine();
      if (said == null || !said.startsWith(STARTED)) {
        return failed(process, said, log, console);
      }
    }
    print(Path.of(said.substring(STARTED.length())), process, options, console);
    return ExitCode.OK;
  }

  /// Returns the command line of the supervisor, which is that of this command.
  private static List<String> words(ParseResult options, Path log) {
    List<String> words = new ArrayList<>(SHELL);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (OWN.stream().noneMatch(option::startsWith)) {
        words.add(option);
      }
    }
    Module own = Main.class.getModule();
    String classPath = System.getProperty("java.class.path", "");
    if (!classPath.isEmpty()) {
      words.addAll(List.of("-cp", classPath));
    }
    if (own.isNamed()) {
      words.addAll(List.of("-p", System.getProperty("jdk.module.path", "")));
      words.addAll(List.of("-m", own.getName() + "/" + Main.class.getName()));
    } else {
      words.add(Main.class.getName());
    }
    boolean isFound = false;
    for (String word : options.originalArgs()) {
      boolean isIt = !isFound && word.equals(DETACH);
      isFound |= isIt;
      words.add(isIt ? SUPERVISOR + "=" + log : word);
    }
    return words;
  }

  private static ExitCode failed(Process process, @Nullable String said, Path log, Console console)
      throws IOException, InterruptedException {
    if (said != null) {
      console.out().println(said); // with --json a failure is told there
    }
    int code = process.waitFor();
    for (String line : Files.readAllLines(log)) {
      console.err().println(line);
    }
    Files.deleteIfExists(log);
    for (ExitCode each : ExitCode.values()) {
      if (each.number() == code && each != ExitCode.OK) {
        return each;
      }
    }
    return ExitCode.FAILED;
  }

  private static void print(Path folder, Process process, ParseResult options, Console console) {
    String run = RunRecovery.numberOf(folder);
    if (options.hasMatchedOption("--json")) {
      Map<String, Object> members = new LinkedHashMap<>(Json.success("run"));
      members.put("run", run);
      members.put("folder", folder.toString());
      members.put("process", process.pid());
      console.out().println(Json.object(members));
    } else {
      String digits = run.substring(0, RunFinder.DIGITS);
      console
          .out()
          .printf(
              "Run %s has started: tigris top %s, tigris show %s --wait%n", digits, digits, digits);
    }
  }

  // -- The supervisor.

  /// Serves the control API of a run until it ends.
  ///
  /// @param log the file that this process writes its errors to
  static Results supervise(ClusterRun run, Path log, ParseResult options, Console console)
      throws RunException, InterruptedException, IOException, CommandException {
    Path folder = run.folder().orElseThrow();
    try (ControlServer server = ControlServer.start(run)) {
      Steered.listen(server::listen, options, console);
      boolean isTold = false;
      while (!run.await(RunCommand.SLICE)) {
        if (!isTold && run.progress().phase() != RunProgress.Phase.STARTING) {
          isTold = true;
          tell(folder, log, console);
        }
      }
      Results results = run.await();
      if (!isTold) {
        tell(folder, log, console);
      }
      return results;
    } catch (InterruptedException | CommandException e) {
      run.cancelAndAwait();
      throw e;
    }
  }

  private static void tell(Path folder, Path log, Console console) throws IOException {
    Path _ = Files.move(log, folder.resolve(LOG)); // an open file keeps its place
    console.out().println(STARTED + folder);
    console.out().flush();
  }
}
