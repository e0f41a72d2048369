package dev.tigris.cli;

import dev.tigris.cli.demo.SlowProcess;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.RunException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// Runs the most common commands in the current folder, so that the JVM records the classes they
/// load and where their time goes. The launcher makes the AOT cache of it, right after a build. The
/// sort is large enough for room on the disk to be reserved.
final class TrainCommand implements Command {
  private static final String DATA = "data";
  private static final String SORTED = "sorted";
  private static final String RUNS = "runs";
  private static final String WATERS = "200";

  private static final List<List<String>> LESSONS =
      List.of(
          List.of("--version"),
          List.of("help"),
          List.of("gen", "-c", "--json", "700k", DATA),
          List.of("sort", DATA, SORTED),
          List.of("sort", SORTED, DATA), // which is replaced
          List.of("check", DATA),
          List.of("gen", "-a", "200k", SORTED), // lines of text
          List.of("sort", "--lines", SORTED, DATA),
          List.of("sort", "--lines", "-k", "2,2", "-n", DATA, SORTED));

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create().addOption(Options.help());
    spec.usageMessage().hidden(true).header("Exercise the commands for the launcher's AOT cache.");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws CommandException {
    for (String file : List.of(DATA, SORTED)) {
      if (Files.exists(Path.of(file), LinkOption.NOFOLLOW_LINKS)) {
        throw new CommandException(
            ExitCode.BAD_OUTPUT,
            "'%s' exists, and training would replace it: run it in an empty folder"
                .formatted(file));
      }
    }
    for (List<String> lesson : LESSONS) {
      ExitCode code = new Tigris(console).run(lesson.toArray(String[]::new));
      if (code != ExitCode.OK) {
        return code;
      }
    }
    return rehearsed();
  }

  /// Runs a flow as on processes: those of the command start from the cache, too.
  private static ExitCode rehearsed() throws CommandException {
    try {
      var _ =
          Cluster.rehearsal()
              .withRuns(Path.of(RUNS).toAbsolutePath())
              .start(SlowProcess.class, WATERS)
              .await();
      return ExitCode.OK;
    } catch (RunException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.INTERNAL_ERROR;
    }
  }
}
