package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `tigris stop` and `tigris cancel`: end a run, with its outputs or without.
final class ChangeCommand implements Command {
  private static final String JSON = "--json";
  private static final int STALE = 409;

  /// How often to ask again when another client was quicker.
  private static final int TRIES = 5;

  private final String name;
  private final String header;
  private final String done;

  private ChangeCommand(String name, String header, String done) {
    this.name = name;
    this.header = header;
    this.done = done;
  }

  static ChangeCommand stop() {
    return new ChangeCommand(
        "stop",
        "End what comes into a run: it works off what is on its way, and ends well.",
        "takes no more, and ends when all that is on its way is done");
  }

  static ChangeCommand cancel() {
    return new ChangeCommand("cancel", "End a run, and drop its outputs.", "is being cancelled");
  }

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    spec.addOption(Options.flag(JSON, "Print one JSON object."));
    RunFinder.addServer(spec);
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header(header)
        .footer("", "Example:", "  tigris %s 3f9a && tigris show 3f9a --wait".formatted(name));
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws CommandException {
    RunRecord run = RunFinder.one(options);
    RunClient client = RunFinder.client(run, options);
    RunClient.Reply reply = changed(run, client, name, Map.of());
    if (!reply.isWell()) {
      throw new CommandException(
          ExitCode.FAILED,
          "run %s refuses: %s".formatted(RunFinder.digits(run), Printable.of(reply.error())));
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>(Json.success(name));
      members.put("run", run.run());
      members.putAll(reply.members());
      console.out().println(Json.object(members));
    } else {
      console.out().printf("Run %s %s%n", RunFinder.digits(run), done);
    }
    return ExitCode.OK;
  }

  /// Asks for a change, again if another client was quicker.
  static RunClient.Reply changed(
      RunRecord run, RunClient client, String name, Map<String, Object> more)
      throws CommandException {
    String id = UUID.randomUUID().toString();
    try {
      RunClient.Reply reply = null;
      for (int i = 0; i < TRIES && (reply == null || reply.status() == STALE); i++) {
        RunClient.Reply now = client.get("/api/v1/run");
        Object revision = now.members().get("revision");
        Map<String, Object> body = new LinkedHashMap<>(more);
        body.put("request", id);
        body.put("revision", revision == null ? 0L : revision);
        reply = client.post("/api/v1/" + name, body);
      }
      if (reply == null) {
        throw new IllegalStateException("a request was made");
      }
      return reply;
    } catch (IOException e) {
      throw RunFinder.unreachable(run, e);
    }
  }
}
