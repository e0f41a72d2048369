package dev.tigris.cli;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/// Finds the runs of this user on this host by their folders.
final class RunFinder {
  /// So many digits tell runs apart.
  static final int DIGITS = 8;

  private static final String RUNS = "--runs";
  private static final String SERVER = "--server";
  private static final String KEY = "--key";

  private RunFinder() {}

  /// Adds the option that says where the folders are, and those that all such commands have.
  static void addCommon(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(RUNS)
            .type(Path.class)
            .paramLabel("DIR")
            .description("The folder of all runs, by default tigris/runs in XDG_STATE_HOME.")
            .build());
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
  }

  /// Adds the options by which a run of another host is reached.
  static void addServer(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(SERVER)
            .type(URI.class)
            .paramLabel("URL")
            .description(
                "The run is on another host, where 'tigris run --control' has told this address.")
            .build());
    spec.addOption(
        OptionSpec.builder(KEY)
            .type(Path.class)
            .paramLabel("FILE")
            .description(
                "The key of a coordinator, for %s (default: coordinator.key of 'tigris keys')."
                    .formatted(SERVER))
            .build());
  }

  static boolean isRemote(ParseResult options) {
    return options.hasMatchedOption(SERVER);
  }

  private static RunClient remote(ParseResult options) throws CommandException {
    URI server = options.matchedOptionValue(SERVER, URI.create(""));
    Path key = options.matchedOptionValue(KEY, null);
    try {
      return RunClient.of(
          server, key == null ? HostKeys.coordinatorKey(HostKeys.usualFolder()) : key);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  /// Returns the run of a server, which has to be the one that the user has named.
  private static RunRecord remoteRun(ParseResult options, String word) throws CommandException {
    Map<String, @Nullable Object> members;
    try {
      members = remote(options).get("/api/v1/run").members();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED, "the server does not answer: %s".formatted(Reason.of(e)), e);
    }
    String program = String.valueOf(members.get("program"));
    String number = String.valueOf(members.get("run"));
    if (!number.matches("[0-9a-f]{32}")) {
      throw new CommandException(ExitCode.FAILED, "the server has no run yet");
    }
    RunRecord run =
        new RunRecord(
            Path.of(""), number, RunRecord.State.RUNNING, Map.of("program", program), Map.of());
    if (!isNamed(run, word) && !isOfProgram(run, word)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "the server has run %s of %s, and not '%s'"
              .formatted(Printable.of(run.run()), Printable.of(program), Printable.of(word)));
    }
    return run;
  }

  /// Adds the parameter that names one.
  static void addRun(CommandSpec spec) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .type(String.class)
            .paramLabel("RUN")
            .description("The first digits of a run, or the program of the only one that runs it.")
            .build());
  }

  /// Adds the parameter that names a part of it.
  static void addPart(CommandSpec spec, String label, String description) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .type(String.class)
            .paramLabel(label)
            .description(description)
            .build());
  }

  static Path folder(ParseResult options) {
    Path given = options.matchedOptionValue(RUNS, null);
    return given == null ? RunRecovery.usualRuns() : given;
  }

  /// Returns all runs, the oldest first.
  static List<RunRecord> all(ParseResult options) throws CommandException {
    try {
      return RunRecord.in(folder(options));
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  /// Returns the run that the user has named.
  static RunRecord one(ParseResult options) throws CommandException {
    String word = options.matchedPositionalValue(0, "");
    if (isRemote(options)) {
      return remoteRun(options, word);
    }
    List<RunRecord> all = all(options);
    List<RunRecord> found = all.stream().filter(run -> isNamed(run, word)).toList();
    if (found.isEmpty()) {
      found =
          all.stream()
              .filter(run -> run.state() == RunRecord.State.RUNNING && isOfProgram(run, word))
              .toList();
    }
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw new CommandException(
        ExitCode.BAD_INPUT,
        found.isEmpty()
            ? "there is no run '%s' in %s: 'tigris ps --all' lists them"
                .formatted(Printable.of(word), folder(options))
            : "'%s' may be %s: give more digits"
                .formatted(
                    Printable.of(word),
                    String.join(", ", found.stream().map(RunFinder::digits).toList())));
  }

  private static boolean isNamed(RunRecord run, String word) {
    return !word.isEmpty() && run.run().startsWith(word);
  }

  private static boolean isOfProgram(RunRecord run, String word) {
    String program = program(run);
    return Stream.of(program, program.substring(program.lastIndexOf('.') + 1))
        .anyMatch(word::equals);
  }

  static String program(RunRecord run) {
    return run.facts().getOrDefault("program", "");
  }

  static String digits(RunRecord run) {
    return run.run().substring(0, DIGITS);
  }

  /// Returns a client of a run, which has to run.
  static RunClient client(RunRecord run, ParseResult options) throws CommandException {
    if (isRemote(options)) {
      return remote(options);
    }
    if (run.state() == RunRecord.State.OVER) {
      throw new CommandException(
          ExitCode.FAILED,
          "run %s is over: %s".formatted(digits(run), Printable.of(run.outcome())));
    }
    try {
      return RunClient.of(run.folder());
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED,
          run.state() == RunRecord.State.LOST
              ? "the process of run %s has died: finish the run by 'tigris recover %s'"
                  .formatted(digits(run), digits(run))
              : "run %s serves no control API: only those of 'tigris run' do, once they have run for a second"
                  .formatted(digits(run)),
          e);
    }
  }

  /// Reports that a run does not answer.
  static CommandException unreachable(RunRecord run, IOException e) {
    return new CommandException(
        ExitCode.FAILED,
        "run %s does not answer: %s; 'tigris ps' shows whether it runs"
            .formatted(digits(run), Printable.of(Reason.of(e))),
        e);
  }
}
