package dev.tigris.cli;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `tigris run`: runs a program on threads, or on processes of this host or others, and prints its
/// results.
final class RunCommand implements Command {
  static final Duration SLICE = Duration.ofMillis(200);

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunOptions.add(spec);
    RunOptions.addGroup(spec);
    RunOptions.addRun(spec);
    RunOptions.addSpark(spec);
    GrownRun.add(spec);
    Steered.add(spec);
    spec.addOption(
        Options.flag("--progress", "Show progress even if standard error is not a terminal."));
    spec.addOption(
        Options.flag(
            Detached.DETACH,
            "Return when the flow is described everywhere, and let the run go on: see 'tigris ps'."));
    spec.addOption(OptionSpec.builder(Detached.SUPERVISOR).type(Path.class).hidden(true).build());
    spec.addOption(Options.flag("--quiet", "Print results and failures only."));
    spec.addOption(Options.flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .customSynopsis("tigris run [OPTIONS] APP.jar [ARG...] [-- ARG...]")
        .header("Run a program's flow on threads, or on several processes.")
        .description(
            "",
            "A program is a class that implements dev.tigris.cluster.run.FlowProgram, or with --group",
            "dev.tigris.cluster.group.GroupProgram, of which each process runs one. Its modules'",
            "results are printed, one a line. Processes are started as this one was; what they",
            "print is in the folder of the run.",
            "",
            "'tigris ps' lists the runs of this user; 'show', 'logs', 'top', 'stop' and 'cancel' take one.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris run totals.jar trades.csv",
            "  tigris run totals.jar trades.csv --on processes:4 --attempts 2",
            "  tigris run pi.jar --group 4",
            "  tigris run totals.jar trades.csv --on processes:4 --detach",
            "  tigris run totals.jar trades.csv --on hosts:hosts.txt --key coordinator.key",
            "  tigris run totals.jar trades.csv --on spark:spark://master:7077 --workers 4",
            "  tigris run target/classes --program trades.Totals -- --verbose trades.csv");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    boolean isOnSpark = RunOptions.isOnSpark(options);
    Path grow = GrownRun.folder(options);
    if (grow != null) {
      return runGrown(options, grow, console);
    }
    if (options.hasMatchedOption(Detached.DETACH)) {
      return Detached.start(options, console);
    }
    ProgramFile program = RunOptions.program(options);
    Path log = options.matchedOptionValue(Detached.SUPERVISOR, null);
    long start = System.nanoTime();
    if (isOnSpark) {
      SparkSubmit spark = SparkSubmit.of(System.getenv());
      spark.run(options, program, console);
      print(
          spark.attempts(),
          spark.folder(),
          spark.results(),
          Duration.ofNanos(System.nanoTime() - start),
          options,
          console);
      return ExitCode.OK;
    }
    ClusterRun run;
    Results results;
    try {
      run = RunOptions.start(options, program, log != null);
      results =
          log == null
              ? awaited(run, options, console)
              : Detached.supervise(run, log, options, console);
    } catch (RunException e) {
      throw new CommandException(code(e), String.valueOf(e.getMessage()), e);
    } catch (CancellationException e) { // by Ctrl-C, before this thread heard of it, or by a client
      if (CtrlC.isEnding()) {
        throw new InterruptedException(e.getMessage());
      }
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    }
    if (log == null) {
      print(
          run.progress().attempt(),
          run.folder().map(Path::toString).orElse(""),
          results.numbers(),
          Duration.ofNanos(System.nanoTime() - start),
          options,
          console);
    }
    return ExitCode.OK;
  }

  private static ExitCode runGrown(ParseResult options, Path folder, Console console)
      throws CommandException, IOException, InterruptedException {
    try {
      GrownRun.Ended ended = GrownRun.run(options, folder, console);
      print(
          ended.run().progress().attempt(),
          ended.run().folder().map(Path::toString).orElse(""),
          ended.results().numbers(),
          Duration.ofNanos(ended.run().progress().elapsedNanos()),
          options,
          console);
      return ExitCode.OK;
    } catch (RunException e) {
      throw new CommandException(code(e), String.valueOf(e.getMessage()), e);
    }
  }

  /// Waits for the end of a run. If this process is asked to end meanwhile, the run ends first.
  private static Results awaited(ClusterRun run, ParseResult options, Console console)
      throws RunException, InterruptedException, IOException, CommandException {
    try (RunLine line = new RunLine(console, options);
        Steered steered = new Steered(run, options, console)) {
      while (!run.await(SLICE)) {
        line.show(run.progress());
        steered.look();
      }
      return run.await();
    } catch (InterruptedException | IOException | CommandException e) {
      run.cancelAndAwait();
      throw e;
    }
  }

  static ExitCode code(RunException e) {
    return switch (e.kind()) {
      case OUTPUT, UNDECIDED -> ExitCode.BAD_OUTPUT;
      case PROGRAM, MODULE, LOST, START, DIFFERENCE -> ExitCode.FAILED;
    };
  }

  private static void print(
      int attempts,
      String folder,
      Map<String, Long> results,
      Duration elapsed,
      ParseResult options,
      Console console) {
    if (options.hasMatchedOption("--json")) {
      Map<String, Object> members = Json.success("run");
      members.put("seconds", ResultLine.seconds(elapsed));
      members.put("attempts", attempts);
      if (!folder.isEmpty()) {
        members.put("folder", folder);
      }
      members.put("results", results);
      console.out().println(Json.object(members));
      return;
    }
    results.forEach((name, number) -> console.out().println(name + " " + number));
  }
}
