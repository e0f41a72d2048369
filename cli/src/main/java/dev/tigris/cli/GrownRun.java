package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GraphProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import dev.tigris.steering.ControlServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris run --grow`: a run whose flow clients put together, by the names of classes, before it
/// starts. Its control API is there from the beginning.
final class GrownRun {
  static final String GROW = "--grow";

  private GrownRun() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(GROW)
            .type(Path.class)
            .paramLabel("DIR")
            .description(
                "Let clients of the control API put the flow together, from the classes of APP.jar: DIR/api has the address. See docs/steering.md.")
            .build());
  }

  /// Returns the folder for the address; null if the command runs a program.
  static @Nullable Path folder(ParseResult options) {
    Path folder = options.matchedOptionValue(GROW, null);
    if (folder != null) {
      for (String other : new String[] {Detached.DETACH, "--group", "--program"}) {
        if (options.hasMatchedOption(other)) {
          throw new ParameterException(
              options.commandSpec().commandLine(),
              "%s is not for %s: leave it out".formatted(other, GROW));
        }
      }
    }
    return folder;
  }

  /// Waits until the graph is started, and then until its run is over.
  ///
  /// @return the run, whose results are there
  static Ended run(ParseResult options, Path folder, Console console)
      throws CommandException, RunException, IOException, InterruptedException {
    Path file = options.matchedPositionalValue(0, Path.of(""));
    ProgramFile code = ProgramFile.open(file, GraphProgram.class.getName());
    Cluster cluster = RunOptions.cluster(options, code).withFolder();
    Files.createDirectories(folder);
    try (ControlServer.Growing growing =
        ControlServer.grow(folder, graph -> start(cluster, code, graph))) {
      Steered.listen(growing::listen, options, console);
      if (!options.hasMatchedOption("--quiet")) {
        console
            .err()
            .println("tigris: grow the flow by the API that " + folder.resolve("api") + " names");
      }
      ClusterRun run = growing.await();
      try (RunLine line = new RunLine(console, options)) {
        while (!run.await(RunCommand.SLICE)) {
          line.show(run.progress());
        }
        return new Ended(run, run.await());
      } catch (InterruptedException e) {
        run.cancelAndAwait();
        throw e;
      }
    } catch (CancellationException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  /// A run that is over.
  record Ended(ClusterRun run, Results results) {}

  private static ClusterRun start(Cluster cluster, ProgramFile code, GraphProgram.Graph graph)
      throws RunException {
    Thread.currentThread().setContextClassLoader(code.loader()); // where modules are found
    return cluster.start(GraphProgram.class, graph.words());
  }
}
