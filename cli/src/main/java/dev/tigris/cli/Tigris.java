package dev.tigris.cli;

import dev.tigris.cli.layout.LayoutException;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.sort.SortException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/// The `tigris` command: finds the subcommand, runs it, and turns what it throws into a message.
final class Tigris {
  /// The subcommands in the order of the help. A start makes only the one that it uses.
  private static final Map<String, Supplier<Command>> COMMANDS = commands();

  private static final List<String> PROPERTIES = List.of("tigris.memory.budget", "tigris.check");

  private final Console console;

  Tigris(Console console) {
    this.console = console;
  }

  private static Map<String, Supplier<Command>> commands() {
    var commands = new LinkedHashMap<String, Supplier<Command>>();
    commands.put("demo", DemoCommand::new);
    commands.put("gen", GenCommand::new);
    commands.put("sort", SortCommand::new);
    commands.put("check", CheckCommand::new);
    commands.put("arrow", ArrowCommand::new);
    commands.put("multiply", MultiplyCommand::new);
    commands.put("run", RunCommand::new);
    commands.put("plan", PlanCommand::new);
    commands.put("ps", PsCommand::new);
    commands.put("show", ShowCommand::new);
    commands.put("logs", LogsCommand::new);
    commands.put("top", TopCommand::new);
    commands.put("resize", ResizeCommand::new);
    commands.put("tap", TapCommand::new);
    commands.put("stop", ChangeCommand::stop);
    commands.put("cancel", ChangeCommand::cancel);
    commands.put("layout", LayoutCommand::new);
    commands.put("specialize", SpecializeCommand::new);
    commands.put("net", NetCommand::new);
    commands.put("disk", DiskCommand::new);
    commands.put("mirror", MirrorCommand::new);
    commands.put("call", CallCommand::new);
    commands.put("recover", RecoverCommand::new);
    commands.put("worker", WorkerCommand::new);
    commands.put("keys", KeysCommand::new);
    commands.put("help", HelpCommand::new);
    commands.put("train", TrainCommand::new);
    return commands;
  }

  /// Runs the command that the arguments name, and returns its exit code.
  ExitCode run(String... args) {
    var failures = FailureReport.asAskedFor(console, List.of(args));
    boolean known = args.length > 0 && COMMANDS.containsKey(args[0]);
    Map<String, Command> commands = known ? make(List.of(args[0])) : make(COMMANDS.keySet());
    try {
      CommandLine line = commandLine(commands);
      CommandLine sort = known && args[0].equals("sort") ? line.getSubcommands().get("sort") : null;
      return run(line.parseArgs(sort == null ? args : TextOptions.spelled(sort, args)), commands);
    } catch (ParameterException e) {
      return failures.usage(e);
    } catch (CommandException e) {
      return failures.command(e);
    } catch (LayoutException e) {
      return failures.layout(e);
    } catch (SortException e) {
      return CtrlC.isEnding() ? failures.interrupted(e) : failures.sort(e);
    } catch (InterruptedException e) {
      return failures.interrupted(e);
    } catch (MemoryBudgetException | OutOfMemoryError e) {
      return failures.memory(e);
    } catch (ExceptionInInitializerError e) {
      return failures.initializer(e);
    } catch (Throwable e) {
      return failures.unexpected(e);
    }
  }

  private ExitCode run(ParseResult all, Map<String, Command> commands) throws Exception {
    ParseResult last = all.hasSubcommand() ? all.subcommand() : all;
    if (last.isVersionHelpRequested()) {
      console.out().println(version());
      return ExitCode.OK;
    }
    if (last.isUsageHelpRequested() || !all.hasSubcommand()) {
      last.commandSpec().commandLine().usage(console.out());
      return ExitCode.OK;
    }
    readProperties();
    Command command = Objects.requireNonNull(commands.get(last.commandSpec().name()));
    return command.run(last, console);
  }

  /// Makes the memory module read its properties here, so that a wrong one is reported once, and
  /// not by the first thread that needs memory.
  private static void readProperties() {
    if (PROPERTIES.stream().anyMatch(name -> System.getProperty(name) != null)) {
      Jbuf jbuf = Jbuf.allocate(1);
      Bytes _ = jbuf.asBytes();
      jbuf.unreference(Jbuf::free);
    }
  }

  private static Map<String, Command> make(Iterable<String> names) {
    var made = new LinkedHashMap<String, Command>();
    for (String name : names) {
      made.put(name, Objects.requireNonNull(COMMANDS.get(name)).get());
    }
    return made;
  }

  /// Returns the parser of the whole command line, with every subcommand, for `help`.
  static CommandLine commandLine() {
    return commandLine(make(COMMANDS.keySet()));
  }

  private static CommandLine commandLine(Map<String, Command> commands) {
    var top = CommandSpec.create().name("tigris").addOption(Options.help());
    top.addOption(
        OptionSpec.builder("-V", "--version")
            .versionHelp(true)
            .description("Print the version and exit.")
            .build());
    top.usageMessage()
        .synopsisSubcommandLabel("COMMAND")
        .header("Data-intensive Java on machines that do not all run at the same speed.")
        .commandListHeading("%nCommands:%n")
        .footer(
            "  test        Run the quick tests: tigris test [--slow|--soak] [-pl MODULE -am]",
            "  bench       Measure everything beside its peers: tigris bench [NAME] [--quick]",
            "  example     Run an example program: tigris example WordCount FILE",
            "  dist        Make a release of this checkout: tigris dist VERSION",
            "",
            "Start with:",
            "  tigris demo",
            "  tigris help sort           (or tigris sort --help)",
            "  tigris help exit-codes");
    var commandLine = new CommandLine(top);
    commands.forEach((name, command) -> commandLine.addSubcommand(name, command.spec().name(name)));
    return commandLine.registerConverter(Path.class, Tigris::path).setExpandAtFiles(false);
  }

  /// Reads the name of a file.
  static Path path(String name) {
    misspelling(name)
        .ifPresent(
            why -> {
              throw new TypeConversionException(why);
            });
    return Path.of(name);
  }

  /// Returns why a word cannot be the name of a file, if it cannot.
  static Optional<String> misspelling(String name) {
    if (name.isEmpty()) {
      return Optional.of("a file name is empty: name a file");
    }
    if (name.equals("-")) {
      return Optional.of(
          "'-' does not stand for standard input or output: name a file (./- if that is its name)");
    }
    try {
      Path _ = Path.of(name);
    } catch (InvalidPathException e) {
      return Optional.of(
          "'%s' has characters outside the locale of this shell: set LC_ALL=C.UTF-8"
              .formatted(name));
    }
    if (name.endsWith("/") && Files.isRegularFile(Path.of(name))) { // which Java has dropped
      return Optional.of("'%s' is a file, not a folder: remove the trailing slash".formatted(name));
    }
    if (isUnreadable(name)) {
      return Optional.of(
          "the name '%s' has bytes that are not characters of the locale of this shell: rename the file"
              .formatted(name));
    }
    Path path = Path.of(name).toAbsolutePath();
    return isUnreadable(path.toString())
        ? Optional.of(
            "'%s' is in a folder whose name has bytes that are not characters of the locale of this shell: rename %s"
                .formatted(name, topmostUnreadable(path)))
        : Optional.empty();
  }

  private static Path topmostUnreadable(Path path) {
    Path folder = path.getParent();
    return folder != null && isUnreadable(folder.toString()) ? topmostUnreadable(folder) : path;
  }

  /// Returns whether a name has the character that Java puts in place of bytes that it could not
  /// read.
  private static boolean isUnreadable(String name) {
    return name.contains("\uFFFD");
  }

  private static String version() {
    var descriptor = Tigris.class.getModule().getDescriptor();
    String unpackaged = "(unpackaged)";
    String version =
        descriptor == null // on a class path, as in a release
            ? Objects.requireNonNullElse(
                Tigris.class.getPackage().getImplementationVersion(), unpackaged)
            : descriptor.rawVersion().orElse(unpackaged);
    return "tigris %s (Java %s, %s %s)"
        .formatted(
            version,
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }
}
