package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.steering.RunClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `tigris top`: shows what the stages of a run do, and which part is slow.
final class TopCommand implements Command {
  private static final String LOAD = "/api/v1/load";
  private static final String RECEIVERS = "?receivers=true";
  private static final String ONCE = "--once";
  private static final String REPLICAS = "--replicas";
  private static final String EDGES = "--edges";
  private static final String JSON = "--json";
  private static final long SLICE_MILLIS = 1_000;

  /// A look that is the only one waits so long for a report of the stages.
  private static final long REPORT_NANOS = 15_000_000_000L;

  private static final long RETRY_MILLIS = 50;
  private static final String HOME_AND_CLEAR = "\033[H\033[J";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    spec.addOption(Options.flag(ONCE, "Print it once, as where the output is no terminal."));
    spec.addOption(Options.flag(REPLICAS, "Show each replica."));
    spec.addOption(Options.flag(EDGES, "Show what goes over each edge."));
    spec.addOption(Options.flag(JSON, "Print one JSON object a second, until the run ends."));
    RunFinder.addServer(spec);
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("Show what the stages of a run do, and which part is slow.")
        .description(
            "",
            "A replica works, is with files, waits for input, or waits for credit of those behind it. NET is the part of the wait for input in which waters were on their way to it from another process. The part that limits the run is behind the last that waits for credit.",
            "With --edges, CREDIT is the share of the time in which the senders wait for credit of that edge, and FULL how full its windows are. With --replicas, too, a receiver is odd if its windows are twice as full as those of the median, or it gets half as much.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris top 3f9a",
            "  tigris top 3f9a --once --replicas",
            "  tigris top 3f9a --edges");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    RunRecord run = RunFinder.one(options);
    RunClient client = RunFinder.client(run, options);
    boolean isJson = options.hasMatchedOption(JSON);
    boolean isOnce = options.hasMatchedOption(ONCE) || (!isJson && !console.isTerminal());
    try {
      while (show(run, client, isOnce, options, console) && !isOnce) {
        Thread.sleep(SLICE_MILLIS);
      }
      return ExitCode.OK;
    } catch (InterruptedException e) { // as such a view is always left
      return CtrlC.exitCode();
    }
  }

  /// Waits until there is something to tell of the stages: modules that have just been started have
  /// not reported twice. The end of the wait is no failure, as their processes may be busy.
  private static RunClient.Reply reported(RunClient client, String path)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (true) {
      RunClient.Reply reply = client.get(path);
      boolean isThere =
          !reply.isWell()
              || !(reply.members().get("replicas") instanceof List<?> replicas)
              || !replicas.isEmpty();
      if (isThere || System.nanoTime() - start >= REPORT_NANOS) {
        return reply;
      }
      Thread.sleep(RETRY_MILLIS);
    }
  }

  /// Shows a moment, and returns whether the run goes on.
  private static boolean show(
      RunRecord run, RunClient client, boolean isOnce, ParseResult options, Console console)
      throws CommandException, IOException, InterruptedException {
    boolean isJson = options.hasMatchedOption(JSON);
    boolean isOfEdges = options.hasMatchedOption(EDGES);
    boolean isOfReplicas = options.hasMatchedOption(REPLICAS);
    String path = isOfEdges && (isOfReplicas || isJson) ? LOAD + RECEIVERS : LOAD;
    RunClient.Reply reply;
    try {
      reply = isOnce ? reported(client, path) : client.get(path);
    } catch (IOException e) {
      if (RunFinder.isRemote(options)) {
        throw RunFinder.unreachable(run, e);
      }
      RunRecord now = RunRecord.of(run.folder());
      if (now.state() == RunRecord.State.RUNNING) {
        throw RunFinder.unreachable(run, e);
      }
      if (!isJson) {
        console.out().printf("Run %s: %s%n", RunFinder.digits(now), PsCommand.state(now));
      }
      return false;
    }
    if (!reply.isWell()) {
      throw new CommandException(ExitCode.FAILED, Printable.of(reply.error()));
    }
    if (isJson) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>(Json.success("top"));
      members.putAll(reply.members());
      console.out().println(Json.object(members));
    } else {
      boolean draws = console.isTerminal() && !isOnce;
      console.out().print(draws ? HOME_AND_CLEAR : "");
      LoadTable table = new LoadTable(reply.members());
      console.out().print(isOfEdges ? table.edges(isOfReplicas) : table.text(isOfReplicas));
    }
    console.out().flush();
    return true;
  }
}
