package dev.tigris.cli;

import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.RunPlan;
import dev.tigris.flow.FlowGraph;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `tigris plan`: prints the flow that a program describes, and where its replicas would run.
final class PlanCommand implements Command {
  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunOptions.add(spec);
    spec.addOption(Options.flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .customSynopsis("tigris plan [OPTIONS] APP.jar [ARG...] [-- ARG...]")
        .header("Print the flow of a program, and where its replicas would run.")
        .description(
            "",
            "The flow is described twice: here, and in a JVM with another language, time zone and",
            "number of processors. If the descriptions differ, the difference is told: the program",
            "could not run on several processes.",
            "")
        .footer("", "Examples:", "  tigris plan totals.jar trades.csv --on processes:4");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    ProgramFile program = RunOptions.program(options);
    RunPlan plan;
    try {
      plan = RunOptions.cluster(options, program).plan(program.flow(), RunOptions.words(options));
    } catch (RunException e) {
      throw new CommandException(RunCommand.code(e), String.valueOf(e.getMessage()), e);
    }
    if (options.hasMatchedOption("--json")) {
      console.out().println(Json.object(members(plan)));
    } else {
      print(plan, console.out());
    }
    return ExitCode.OK;
  }

  private static void print(RunPlan plan, PrintStream out) {
    FlowGraph flow = plan.flow();
    out.printf("flow %s, fingerprint %s%n", flow.flow(), flow.fingerprint());
    for (FlowGraph.Stage stage : flow.stages()) {
      out.printf(
          "%s %s: %d replicas, in process %s%n",
          stage.isSource() ? "source" : "stage",
          stage.name(),
          stage.replicas(),
          plan.places(stage.name()).stream().map(String::valueOf).collect(Collectors.joining(" ")));
    }
    for (FlowGraph.Edge edge : flow.edges()) {
      out.printf(
          "reservoir %s -> %s: %s, window %d, %s%n",
          edge.from(), edge.to(), edge.policy(), edge.window(), edge.kind());
    }
    for (FlowGraph.Feed feed : flow.feeds()) {
      out.printf("feed %s of %s: %s%n", feed.name(), feed.stage(), feed.kinds());
    }
    for (FlowGraph.Drain drain : flow.drains()) {
      out.printf("drain %s of %s: %s%n", drain.name(), drain.stage(), drain.kinds());
    }
    plan.warnings().forEach(warning -> out.println("warning: " + warning));
  }

  private static Map<String, Object> members(RunPlan plan) {
    Map<String, Object> members = Json.success("plan");
    members.put("flow", plan.flow().flow());
    members.put("fingerprint", plan.flow().fingerprint());
    members.put("processes", plan.processes());
    List<Object> stages = new ArrayList<>();
    for (FlowGraph.Stage stage : plan.flow().stages()) {
      Map<String, Object> its = new LinkedHashMap<>();
      its.put("name", stage.name());
      its.put("replicas", stage.replicas());
      its.put("isSource", stage.isSource());
      its.put("places", plan.places(stage.name()));
      stages.add(its);
    }
    members.put("stages", stages);
    List<Object> reservoirs = new ArrayList<>();
    for (FlowGraph.Edge edge : plan.flow().edges()) {
      Map<String, Object> its = new LinkedHashMap<>();
      its.put("from", edge.from());
      its.put("to", edge.to());
      its.put("policy", edge.policy());
      its.put("window", edge.window());
      reservoirs.add(its);
    }
    members.put("reservoirs", reservoirs);
    members.put("warnings", plan.warnings());
    return members;
  }
}
