package dev.tigris.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris help [COMMAND | exit-codes]`.
final class HelpCommand implements Command {
  private static final String EXIT_CODES = "exit-codes";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create().addOption(Options.help());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..1")
            .type(String.class)
            .paramLabel("TOPIC")
            .description("The name of a command, or exit-codes.")
            .build());
    spec.usageMessage().header("Show the help of a command, or the list of exit codes.");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) {
    String topic = options.matchedPositionalValue(0, "");
    var all = Tigris.commandLine();
    var command = all.getSubcommands().get(topic);
    if (topic.equals(EXIT_CODES)) {
      printExitCodes(console.out());
    } else if (topic.isEmpty()) {
      all.usage(console.out());
    } else if (command != null) {
      command.usage(console.out());
    } else {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "there is no command '%s'. The commands are %s; there is also '%s'"
              .formatted(topic, String.join(", ", visible(all)), EXIT_CODES));
    }
    return ExitCode.OK;
  }

  /// Returns those that the help lists, the launcher's own too.
  private static List<String> visible(CommandLine all) {
    Stream<String> commands =
        all.getSubcommands().entrySet().stream()
            .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
            .map(Map.Entry::getKey);
    return Stream.concat(commands, Stream.of("test", "bench", "example")).toList();
  }

  private static void printExitCodes(PrintStream out) {
    out.println("Exit codes:");
    for (ExitCode code : ExitCode.values()) {
      out.printf("  %3d  %s%n", code.number(), code.meaning());
    }
  }
}
