package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `tigris ps`: lists the runs of this user on this host.
final class PsCommand implements Command {
  private static final String ALL = "--all";
  private static final String JSON = "--json";
  private static final String ROW = "%-8s  %-9s  %-15s  %s%n";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addOption(Options.flag(ALL, "List the runs that are over, too."));
    spec.addOption(Options.flag(JSON, "Print one JSON object a run."));
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("List the runs of this user on this host.")
        .description(
            "", "A run whose process has died is listed as lost: 'tigris recover' finishes it.", "")
        .footer("", "Examples:", "  tigris ps", "  tigris ps --all --json");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws CommandException {
    List<RunRecord> shown = new ArrayList<>();
    for (RunRecord run : RunFinder.all(options)) {
      if (options.hasMatchedOption(ALL) || run.state() != RunRecord.State.OVER) {
        shown.add(run);
      }
    }
    if (options.hasMatchedOption(JSON)) {
      shown.forEach(run -> console.out().println(Json.object(members(run))));
    } else if (shown.isEmpty()) {
      console.out().printf("No runs in %s%n", RunFinder.folder(options));
    } else {
      console.out().printf(ROW, "RUN", "STATE", "STARTED (UTC)", "PROGRAM");
      shown.forEach(run -> print(run, console));
    }
    return ExitCode.OK;
  }

  private static void print(RunRecord run, Console console) {
    console
        .out()
        .printf(
            ROW,
            RunFinder.digits(run),
            Printable.of(state(run)),
            run.started(),
            Printable.of(
                (RunFinder.program(run) + " " + run.facts().getOrDefault("arguments", ""))
                    .strip()));
  }

  /// Returns the state in a word: the phase of a run that answers, or how it has ended.
  static String state(RunRecord run) {
    return switch (run.state()) {
      case LOST -> "lost";
      case OVER -> run.outcome().split(":", 2)[0];
      case RUNNING -> phase(run);
    };
  }

  private static String phase(RunRecord run) {
    try {
      RunClient.Reply reply = RunClient.of(run.folder()).get("/api/v1/run");
      if (reply.isWell()) {
        return String.valueOf(reply.members().get("phase"));
      }
    } catch (IOException e) {
      // it serves none, or ends just now
    }
    return "running";
  }

  private static Map<String, @Nullable Object> members(RunRecord run) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>(Json.success("ps"));
    members.put("run", run.run());
    members.put("state", run.state().name().toLowerCase(Locale.ROOT));
    members.put("phase", state(run));
    members.put("started", run.started());
    members.put("program", RunFinder.program(run));
    members.put("arguments", run.facts().get("arguments"));
    members.put("folder", run.folder().toString());
    if (run.state() == RunRecord.State.OVER) {
      members.put("outcome", run.outcome());
    }
    return members;
  }
}
