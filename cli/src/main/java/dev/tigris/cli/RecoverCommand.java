package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.cluster.run.outputs.RunStillGoingException;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris recover`: finishes a run whose processes have ended before all outputs had their names.
final class RecoverCommand implements Command {
  private static final String RUNS = "--runs";
  private static final String PUBLISH = "--publish";
  private static final String DISCARD = "--discard";
  private static final String JSON = "--json";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..1")
            .type(String.class)
            .paramLabel("RUN")
            .description("The run, or some of its digits. Without it, runs to recover are listed.")
            .build());
    spec.addOption(
        OptionSpec.builder(RUNS)
            .type(Path.class)
            .paramLabel("DIR")
            .description("The folder of all runs, by default tigris/runs in XDG_STATE_HOME.")
            .build());
    spec.addOption(
        OptionSpec.builder(PUBLISH)
            .type(Integer.class)
            .paramLabel("ATTEMPT")
            .description(
                "Give the outputs of this attempt their names, where the host that knows of the decision is gone or has told.")
            .build());
    spec.addOption(
        Options.flag(DISCARD, "Delete all outputs, where that host is gone or has told."));
    spec.addOption(Options.flag(JSON, "Print the result as one line of JSON."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Finish a run whose processes died before its outputs had their names.")
        .description(
            "",
            "If the run had decided, its outputs get their names. If not, they are deleted. On a host that is not the coordinator's, ask on that one first.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris recover                        what there is to recover",
            "  tigris recover 3f9a                   by the first digits of the run",
            "  tigris recover 3f9a --publish 2       on another host: attempt 2 was decided",
            "  tigris recover 3f9a --discard         nothing was, or it cannot be known");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    Path runs = options.matchedOptionValue(RUNS, null);
    if (runs == null) {
      runs = RunRecovery.usualRuns();
    }
    String digits = options.matchedPositionalValue(0, null);
    Integer publish = options.matchedOptionValue(PUBLISH, null);
    boolean discard = options.hasMatchedOption(DISCARD);
    if (publish != null && (discard || publish < 1)) {
      throw misuse(
          options,
          discard
              ? "--publish and --discard exclude each other: choose one"
              : "--publish %d: attempts count from 1".formatted(publish));
    }
    if (digits != null && digits.isBlank()) {
      throw misuse(options, "RUN is empty: give some digits of it");
    }
    if (digits == null) {
      if (publish != null || discard) {
        throw misuse(options, "name the RUN to publish or discard");
      }
      return list(runs, options, console);
    }
    return recover(find(runs, digits), discard ? Integer.valueOf(0) : publish, options, console);
  }

  /// Recovers a run by all of its folders that are here. The decision is in that of its
  /// coordinator, which comes first.
  ///
  /// @param chosen what the user has chosen, where the coordinator's folder is elsewhere
  private static ExitCode recover(
      List<Path> folders, @Nullable Integer chosen, ParseResult options, Console console)
      throws CommandException, IOException {
    ExitCode worst = ExitCode.OK;
    Integer told = chosen;
    for (Path folder : folders) {
      try (RunRecovery recovery = open(folder)) {
        boolean isKnown = recovery.askedElsewhere() == null;
        boolean isFirst = folder.equals(folders.getFirst());
        ExitCode code = recover(recovery, isKnown && !isFirst ? null : told, options, console);
        worst = code == ExitCode.OK ? worst : code;
        if (isKnown) {
          Epoch decided = recovery.decided();
          told = decided == null ? 0 : decided.attempt();
        }
      }
    }
    return worst;
  }

  private static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }

  /// Returns the folders of one run.
  private static List<Path> find(Path runs, String digits) throws CommandException {
    List<Path> found;
    try {
      found = RunRecovery.find(runs, digits);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
    if (found.stream().map(RunRecovery::numberOf).distinct().count() != 1) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          found.isEmpty()
              ? "there is no run '%s' in %s: 'tigris recover' lists those to recover"
                  .formatted(digits, runs)
              : "'%s' may be %s: give more digits".formatted(digits, found));
    }
    return found;
  }

  private static RunRecovery open(Path folder) throws CommandException {
    try {
      return RunRecovery.of(folder);
    } catch (RunStillGoingException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  private static ExitCode list(Path runs, ParseResult options, Console console) throws Exception {
    boolean isJson = options.hasMatchedOption(JSON);
    int found = 0;
    boolean isBad = false;
    for (Path folder : RunRecovery.find(runs, "")) {
      try (RunRecovery recovery = RunRecovery.of(folder)) {
        if (recovery.notes().isEmpty() && recovery.elsewhere().isEmpty()) {
          continue;
        }
        found++;
        if (isJson) {
          console.out().println(Json.object(facts(recovery)));
        } else {
          print(recovery, console);
        }
      } catch (RunStillGoingException e) {
        // it needs no recovery
      } catch (IOException e) { // the others are listed all the same
        console.err().printf("tigris: %s: %s%n", folder, Reason.of(e));
        isBad = true;
      }
    }
    if (found == 0 && !isBad && !isJson) {
      console.out().println("Nothing to recover in " + runs);
    }
    return isBad ? ExitCode.BAD_INPUT : ExitCode.OK;
  }

  private static Map<String, @Nullable Object> facts(RunRecovery recovery) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>(Json.success("recover"));
    facts.put("run", recovery.run().toString());
    Epoch decided = recovery.decided();
    facts.put("decidedAttempt", decided == null ? null : decided.attempt());
    facts.put("coordinator", recovery.askedElsewhere());
    facts.put("unfinished", recovery.notes().stream().mapToInt(n -> n.outputs().size()).sum());
    return facts;
  }

  private static void print(RunRecovery recovery, Console console) throws IOException {
    printElsewhere(recovery.elsewhere(), recovery, console);
    String elsewhere = recovery.askedElsewhere();
    Epoch decided = recovery.decided();
    console
        .out()
        .printf(
            "Run %s: %s%n",
            recovery.run(),
            elsewhere != null
                ? "ask its coordinator, %s, what was decided".formatted(elsewhere)
                : decided == null
                    ? "no attempt was decided, so its outputs will be deleted"
                    : "attempt %d was decided".formatted(decided.attempt()));
    for (OutputNote note : recovery.notes()) {
      for (UnnamedOutput output : note.outputs()) {
        console
            .out()
            .printf(
                "  attempt %d, worker %d, %s: %s%n",
                note.epoch().attempt(),
                note.worker(),
                note.isPrepared() ? "whole" : "in part",
                output.target());
      }
    }
  }

  /// Tells what other hosts may have left to do, which cannot be done from here.
  private static void printElsewhere(List<String> outputs, RunRecovery recovery, Console console) {
    Epoch decided = recovery.decided();
    String choice = decided == null ? "--discard" : "--publish " + decided.attempt();
    for (String each : outputs) {
      console
          .out()
          .printf(
              "On another host, %s: run 'tigris recover %s %s' there%n",
              each, recovery.run(), choice);
    }
  }

  private static ExitCode recover(
      RunRecovery recovery, @Nullable Integer chosen, ParseResult options, Console console)
      throws CommandException {
    String elsewhere = recovery.askedElsewhere();
    if (elsewhere != null && chosen == null) {
      throw new CommandException(
          ExitCode.FAILED,
          "only the coordinator of run %s knows what was decided: run 'tigris recover %s' there (%s), and then here with --publish ATTEMPT or --discard"
              .formatted(recovery.run(), recovery.run(), elsewhere));
    }
    if (elsewhere == null && chosen != null) {
      throw misuse(options, "it is known what was decided: leave out --publish and --discard");
    }
    RunRecovery.Result result;
    List<String> others;
    try {
      others = recovery.elsewhere();
      result = chosen == null ? recovery.finish() : recovery.decide(chosen);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_OUTPUT, Reason.of(e), e);
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, @Nullable Object> facts = new LinkedHashMap<>(Json.success("recover"));
      facts.put("run", recovery.run().toString());
      facts.put("named", result.named());
      facts.put("deleted", result.deleted());
      facts.put("unnamed", result.unnamed());
      console.out().println(Json.object(facts));
    } else {
      console
          .out()
          .printf(
              "%d outputs have their names, %d were deleted%n", result.named(), result.deleted());
      printElsewhere(others, recovery, console);
      result.unnamed().forEach(each -> console.err().println("tigris: " + each));
    }
    return result.unnamed().isEmpty() ? ExitCode.OK : ExitCode.BAD_OUTPUT;
  }
}
