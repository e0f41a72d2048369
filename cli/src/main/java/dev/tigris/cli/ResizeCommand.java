package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/// `tigris resize`: changes the number of replicas of a stage while its run goes on.
final class ResizeCommand implements Command {
  private static final String JSON = "--json";
  private static final long SLICE_MILLIS = 50;

  /// After so many looks, those that it waits for are told.
  private static final int PATIENCE = 40;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    RunFinder.addPart(spec, "STAGE", "The stage, as 'tigris top' names it.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("2")
            .type(Long.class)
            .paramLabel("N")
            .description("How many replicas it is to have.")
            .build());
    spec.addOption(Options.flag(JSON, "Print one JSON object."));
    RunFinder.addServer(spec);
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("Change the number of replicas of a stage while its run goes on.")
        .description(
            "",
            "No water is lost, doubled or reordered. It ends when the stage has so many replicas. A module in a long call delays that, and is told of.",
            "")
        .footer("", "Example:", "  tigris resize 3f9a work 4");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    RunRecord run = RunFinder.one(options);
    RunClient client = RunFinder.client(run, options);
    String stage = options.matchedPositionalValue(1, "");
    Long count = options.matchedPositionalValue(2, 0L);
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("stage", stage);
    more.put("replicas", count);
    RunClient.Reply reply = ChangeCommand.changed(run, client, "resize", more);
    if (!reply.isWell()) {
      throw refused(run, reply.error());
    }
    Map<String, @Nullable Object> outcome =
        awaited(run, client, String.valueOf(reply.members().get("id")), console);
    if ("failed".equals(outcome.get("state"))) {
      throw refused(run, String.valueOf(outcome.get("text")));
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>(Json.success("resize"));
      members.put("run", run.run());
      members.putAll(more);
      members.put("revision", outcome.get("revision"));
      console.out().println(Json.object(members));
    } else {
      console.out().printf("Stage %s has %d replicas%n", Printable.of(stage), count);
    }
    return ExitCode.OK;
  }

  private static CommandException refused(RunRecord run, String why) {
    return new CommandException(
        ExitCode.FAILED, "run %s refuses: %s".formatted(RunFinder.digits(run), Printable.of(why)));
  }

  private static Map<String, @Nullable Object> awaited(
      RunRecord run, RunClient client, String id, Console console)
      throws CommandException, InterruptedException {
    for (int look = 1; ; look++) {
      RunClient.Reply reply;
      try {
        reply = client.get("/api/v1/changes/" + id);
      } catch (IOException e) {
        throw RunFinder.unreachable(run, e);
      }
      if (!"going".equals(reply.members().get("state"))) {
        return reply.members();
      }
      String text = String.valueOf(reply.members().get("text"));
      if (look == PATIENCE && !text.isEmpty()) {
        console.err().println("tigris: it " + Printable.of(text));
      }
      Thread.sleep(SLICE_MILLIS);
    }
  }
}
