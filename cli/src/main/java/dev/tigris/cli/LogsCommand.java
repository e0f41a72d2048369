package dev.tigris.cli;

import dev.tigris.cluster.run.outputs.RunRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris logs`: prints what the processes of a run have printed.
final class LogsCommand implements Command {
  private static final String PROCESS = "--process";
  private static final String LINES = "--lines";
  private static final String JSON = "--json";
  private static final int USUAL_LINES = 100;
  private static final int MOST_LINES = 1_000_000;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    spec.addOption(
        OptionSpec.builder(PROCESS)
            .type(Integer.class)
            .paramLabel("N")
            .description("Print the log of this process alone.")
            .build());
    spec.addOption(
        OptionSpec.builder(LINES)
            .type(Integer.class)
            .paramLabel("N")
            .description("Print so many lines of each log at most, the last ones (default: 100).")
            .build());
    spec.addOption(Options.flag(JSON, "Print one JSON object a line."));
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("Print what the processes of a run have printed.")
        .description(
            "",
            "Characters that would steer the terminal are escaped. The files are in the folder of the run, as they were printed.",
            "")
        .footer("", "Examples:", "  tigris logs 3f9a", "  tigris logs 3f9a --process 2 --lines 10");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    RunRecord run = RunFinder.one(options);
    int lines = options.matchedOptionValue(LINES, USUAL_LINES);
    if (lines < 1 || lines > MOST_LINES) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "%s %d: it must be between 1 and %d".formatted(LINES, lines, MOST_LINES));
    }
    for (Path log : logs(run, options.matchedOptionValue(PROCESS, null))) {
      String name = String.valueOf(log.getFileName());
      List<String> last = last(log, lines);
      if (options.hasMatchedOption(JSON)) {
        for (String line : last) {
          Map<String, Object> members = new LinkedHashMap<>();
          members.put("log", name);
          members.put("line", line);
          console.out().println(Json.object(members));
        }
      } else if (!last.isEmpty()) {
        console.out().println("==> " + name);
        last.forEach(line -> console.out().println(Printable.of(line)));
      }
    }
    return ExitCode.OK;
  }

  private static List<Path> logs(RunRecord run, @Nullable Integer process) throws CommandException {
    String wanted = process == null ? "" : "worker-%d.".formatted(process);
    try (Stream<Path> all = Files.list(run.folder())) {
      List<Path> found =
          all.filter(file -> file.toString().endsWith(".log"))
              .filter(file -> String.valueOf(file.getFileName()).startsWith(wanted))
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw new CommandException(
            ExitCode.BAD_INPUT,
            "run %s has no log%s in %s"
                .formatted(
                    RunFinder.digits(run),
                    process == null ? "" : " of process " + process,
                    run.folder()));
      }
      return found;
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  /// Returns the last lines, in which bytes that are no UTF-8 are replaced.
  private static List<String> last(Path log, int lines) throws IOException {
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (last.size() == lines) {
          last.removeFirst();
        }
        last.addLast(line);
      }
    }
    return new ArrayList<>(last);
  }
}
