package dev.tigris.cli;

import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `tigris show`: tells what a run is, what it does, and how it has ended.
final class ShowCommand implements Command {
  private static final String WAIT = "--wait";
  private static final String JSON = "--json";
  private static final long SLICE_MILLIS = 200;
  private static final double NANOS = 1e9;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    spec.addOption(
        Options.flag(WAIT, "Wait for the end of the run, and end with the exit code it has."));
    spec.addOption(Options.flag(JSON, "Print one JSON object."));
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("Tell what a run is, what it does, and how it has ended.")
        .footer(
            "",
            "Examples:",
            "  tigris show 3f9a",
            "  tigris show 3f9a --wait      as 'tigris run' without --detach");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    RunRecord run = RunFinder.one(options);
    boolean waits = options.hasMatchedOption(WAIT);
    while (waits && run.state() == RunRecord.State.RUNNING) {
      Thread.sleep(SLICE_MILLIS); // its folder is what it leaves, and no process waits for a file
      run = RunRecord.of(run.folder());
    }
    Map<String, @Nullable Object> members = members(run);
    if (options.hasMatchedOption(JSON)) {
      console.out().println(Json.object(members));
    } else {
      members.forEach((name, value) -> print(name, value, console));
    }
    return waits ? code(run) : ExitCode.OK;
  }

  private static void print(String name, @Nullable Object value, Console console) {
    if (value != null && !name.equals("command") && !name.equals("status")) {
      console.out().printf("%-15s %s%n", name, Printable.of(String.valueOf(value)));
    }
  }

  private static Map<String, @Nullable Object> members(RunRecord run) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>(Json.success("show"));
    members.put("run", run.run());
    members.put("state", run.state().name().toLowerCase(Locale.ROOT));
    members.put("started", run.started());
    members.put("program", RunFinder.program(run));
    members.put("arguments", run.facts().get("arguments"));
    members.put("folder", run.folder().toString());
    switch (run.state()) {
      case RUNNING -> addNow(run, members);
      case LOST -> members.put("recover", "tigris recover " + RunFinder.digits(run));
      case OVER -> {
        members.put("outcome", run.outcome());
        members.put("attempt", run.ending().get(RunRecord.ATTEMPTS));
        String nanos = run.ending().get(RunRecord.NANOS);
        members.put("elapsedSeconds", nanos == null ? null : Long.parseLong(nanos) / NANOS);
        members.put("results", run.results());
      }
    }
    return members;
  }

  private static void addNow(RunRecord run, Map<String, @Nullable Object> members) {
    try {
      RunClient.Reply reply = RunClient.of(run.folder()).get("/api/v1/load");
      if (reply.isWell()) {
        reply.members().forEach(members::putIfAbsent);
      }
    } catch (IOException e) {
      members.put("api", "none: " + Reason.of(e));
    }
  }

  /// Returns the exit code that `tigris run` would have had.
  static ExitCode code(RunRecord run) {
    String kind = run.ending().getOrDefault(RunRecord.KIND, "");
    if (run.outcome().equals("done") || run.outcome().equals("recovered")) {
      return ExitCode.OK;
    }
    return kind.equals(RunException.Kind.OUTPUT.name())
            || kind.equals(RunException.Kind.UNDECIDED.name())
        ? ExitCode.BAD_OUTPUT
        : ExitCode.FAILED;
  }
}
