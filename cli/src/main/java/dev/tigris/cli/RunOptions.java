package dev.tigris.cli;

import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.HostEngine;
import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.outputs.RunRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The options of `tigris run` and `tigris plan`: which program, with which arguments, and where.
final class RunOptions {
  private static final String PROGRAM = "--program";
  static final String ON = "--on";
  private static final String HOSTS = "hosts:";
  private static final String GROUP = "--group";
  private static final String KEY = "--key";
  private static final String COORDINATOR_KEY = "--coordinator-key";
  private static final String SEED = "--seed";
  private static final String ATTEMPTS = "--attempts";
  private static final String HANG_LIMIT = "--hang-limit";
  private static final String RUNS = "--runs";
  private static final String AOT = "--aot";
  private static final String THREADS = "threads";
  private static final String PROCESSES = "processes:";

  /// The cluster that a command finds itself on, whatever its options name.
  static final ScopedValue<Cluster> GIVEN = ScopedValue.newInstance();

  private RunOptions() {}

  /// Adds what both commands have.
  static void add(CommandSpec spec) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(Path.class)
            .converters(SortCommand::file)
            .paramLabel("APP.jar")
            .description("The jar, or folder of classes, with the program.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..*")
            .index("1..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("ARG")
            .description("The program's arguments. Those that begin with '-' follow a '--'.")
            .build());
    spec.addOption(
        option(
            PROGRAM,
            "CLASS",
            "The program's class (default: the manifest's "
                + ProgramFile.ATTRIBUTE
                + ", or else its Main-Class)."));
    spec.addOption(
        option(
            ON,
            "WHERE",
            "Where the flow runs: threads, processes:N on this host, hosts:FILE, which has one HOST:PORT a line of each 'tigris worker', or for 'tigris run' spark:MASTER (default: threads)."));
    spec.addOption(
        OptionSpec.builder(KEY)
            .type(Path.class)
            .paramLabel("FILE")
            .description(
                "The coordinator's key, for hosts:FILE (default: coordinator.key of 'tigris keys').")
            .build());
    spec.addOption(
        OptionSpec.builder(SEED)
            .type(Long.class)
            .paramLabel("N")
            .description("Derive all random choices from this number (default: another each run).")
            .build());
  }

  /// Adds what only `tigris run` has.
  static void addGroup(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(GROUP)
            .type(Integer.class)
            .paramLabel("N")
            .description(
                "Run a group of N members, on as many processes of this host unless --on says otherwise.")
            .build());
  }

  /// Starts a program: a flow, or a group.
  ///
  /// @param hasFolder whether the run has a folder on threads, too
  static ClusterRun start(ParseResult options, ProgramFile program, boolean hasFolder)
      throws CommandException, RunException {
    Integer members = options.matchedOptionValue(GROUP, null);
    if (members == null) {
      Cluster cluster = cluster(options, program);
      return (hasFolder ? cluster.withFolder() : cluster).start(program.flow(), words(options));
    }
    Class<? extends GroupProgram> group = program.group();
    try {
      Cluster cluster =
          options.hasMatchedOption(ON)
              ? cluster(options, program)
              : seeded(limited(Cluster.processes(members), options), options, program);
      return (hasFolder ? cluster.withFolder() : cluster).group(members, group, words(options));
    } catch (IllegalArgumentException e) {
      throw wrong(options, e);
    }
  }

  /// Adds what only a run has, or a sort in several processes.
  static void addRun(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(ATTEMPTS)
            .type(Integer.class)
            .paramLabel("N")
            .description("Try so often when processes are lost (default: 1, and 3 on hosts).")
            .build());
    spec.addOption(
        OptionSpec.builder(HANG_LIMIT)
            .type(Integer.class)
            .paramLabel("SECONDS")
            .description("Give up a process that is silent for so long (default: 10).")
            .build());
    spec.addOption(
        OptionSpec.builder(RUNS)
            .type(Path.class)
            .paramLabel("DIR")
            .description("Keep the folders of runs here (default: tigris/runs in XDG_STATE_HOME).")
            .build());
    spec.addOption(
        OptionSpec.builder(AOT)
            .type(Path.class)
            .paramLabel("FILE")
            .description("Start processes from this AOT cache, which a first run makes.")
            .build());
  }

  /// Returns the folder of all runs.
  static Path runs(ParseResult options) {
    Path runs = options.matchedOptionValue(RUNS, null);
    return runs == null ? RunRecovery.usualRuns() : runs.toAbsolutePath();
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .type(String.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  /// Adds what only a run on Spark has.
  static void addSpark(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(SparkSubmit.WORKERS)
            .type(Integer.class)
            .paramLabel("N")
            .description("On Spark: how many workers (default: one for each executor).")
            .build());
    spec.addOption(
        OptionSpec.builder(SparkSubmit.CONF)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("1")
            .paramLabel("KEY=VALUE")
            .description("On Spark: an option of spark-submit. It can be repeated.")
            .build());
  }

  static String on(ParseResult options) {
    return options.matchedOptionValue(ON, THREADS);
  }

  /// Returns whether a program runs on Spark.
  static boolean isOnSpark(ParseResult options) {
    return isOnSpark(
        options, GROUP, KEY, RUNS, AOT, Detached.DETACH, Steered.CONTROL, GrownRun.GROW);
  }

  /// Returns whether a sort runs on Spark.
  static boolean isSortOnSpark(ParseResult options) {
    return isOnSpark(options, COORDINATOR_KEY, RUNS, AOT, TextSort.TEMPORARY);
  }

  private static boolean isOnSpark(ParseResult options, String... refused) {
    boolean isSpark = on(options).startsWith(SparkSubmit.SPARK);
    List<String> others =
        isSpark ? List.of(refused) : List.of(SparkSubmit.WORKERS, SparkSubmit.CONF);
    for (String option : others) {
      if (options.hasMatchedOption(option)) {
        throw new ParameterException(
            options.commandSpec().commandLine(),
            "%s is %s for a run on Spark: leave it out"
                .formatted(option, isSpark ? "not" : "only"));
      }
    }
    return isSpark;
  }

  /// Returns the numbers of a run on Spark, as its driver reads them.
  static List<String> submitted(ParseResult options) {
    List<String> all = new ArrayList<>();
    for (String option : List.of(SparkSubmit.WORKERS, ATTEMPTS, HANG_LIMIT)) {
      all.add(String.valueOf(options.<Integer>matchedOptionValue(option, 0)));
    }
    Long seed = options.matchedOptionValue(SEED, null);
    all.add(seed == null ? "-" : seed.toString());
    return all;
  }

  /// Returns how many processors a sort uses, in all of its processes together.
  ///
  /// @param usual of this process
  static int parallel(ParseResult options, int usual) {
    int all =
        GIVEN.isBound() ? GIVEN.get().engine().map(HostEngine::processors).orElse(usual) : usual;
    return options.matchedOptionValue("--parallel", all);
  }

  /// Returns how many processors a sort of files that all hosts see uses, in all of its processes
  /// together.
  ///
  /// @param ofThis how many it would use here
  static int parallel(ParseResult options, Cluster cluster, int ofThis) {
    int hosts = (int) cluster.hosts().stream().distinct().count();
    return hosts == 0 || options.hasMatchedOption("--parallel") ? ofThis : hosts * ofThis;
  }

  /// Returns the program.
  static ProgramFile program(ParseResult options) throws CommandException {
    Path file = options.matchedPositionalValue(0, Path.of(""));
    return ProgramFile.open(file, options.matchedOptionValue(PROGRAM, null));
  }

  /// Returns the program's arguments.
  static String[] words(ParseResult options) {
    List<String> words = options.matchedPositionalValue(1, List.of());
    return new ArrayList<>(words).toArray(String[]::new);
  }

  /// Returns where the program runs.
  static Cluster cluster(ParseResult options, ProgramFile program) throws CommandException {
    String on = options.matchedOptionValue(ON, THREADS);
    Cluster cluster =
        on.startsWith(HOSTS)
            ? limited(hosts(on.substring(HOSTS.length()), KEY, options), options)
            : cluster(options);
    return seeded(cluster, options, program);
  }

  private static Cluster seeded(Cluster where, ParseResult options, ProgramFile program) {
    Long seed = options.matchedOptionValue(SEED, null);
    Cluster cluster = seed == null ? where : where.withSeed(seed);
    return cluster.withCode(program.path());
  }

  /// Adds what a command on hosts has whose --key is another option.
  static void addHosts(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(COORDINATOR_KEY)
            .type(Path.class)
            .paramLabel("FILE")
            .description(
                "The coordinator's key, for hosts:FILE (default: coordinator.key of 'tigris keys').")
            .build());
  }

  /// Returns whether such a command runs on several hosts.
  static boolean isOnHosts(ParseResult options) {
    return options.matchedOptionValue(ON, THREADS).startsWith(HOSTS);
  }

  /// Returns the hosts of such a command.
  static Cluster hosts(ParseResult options) throws CommandException {
    String file = options.matchedOptionValue(ON, THREADS).substring(HOSTS.length());
    return limited(hosts(file, COORDINATOR_KEY, options), options);
  }

  private static Cluster hosts(String file, String option, ParseResult options)
      throws CommandException {
    Path key = options.matchedOptionValue(option, null);
    try {
      return Cluster.hosts(
          Path.of(file), key == null ? HostKeys.coordinatorKey(HostKeys.usualFolder()) : key);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  /// Returns where a sort runs whose processes all see its files.
  static Cluster sortCluster(ParseResult options) throws CommandException {
    return isOnHosts(options) ? hosts(options) : cluster(options);
  }

  /// Returns where on this host to run what this command consists of.
  static Cluster cluster(ParseResult options) {
    try {
      return limited(where(options), options);
    } catch (IllegalArgumentException e) {
      throw wrong(options, e);
    }
  }

  private static ParameterException wrong(ParseResult options, IllegalArgumentException cause) {
    return new ParameterException(
        options.commandSpec().commandLine(), String.valueOf(cause.getMessage()), cause);
  }

  private static Cluster limited(Cluster where, ParseResult options) {
    try {
      Integer attempts = options.matchedOptionValue(ATTEMPTS, null);
      Integer hangLimit = options.matchedOptionValue(HANG_LIMIT, null);
      Path runs = options.matchedOptionValue(RUNS, null);
      Path aot = options.matchedOptionValue(AOT, null);
      Cluster cluster = attempts == null ? where : where.withAttempts(attempts);
      cluster = hangLimit == null ? cluster : cluster.withHangLimit(Duration.ofSeconds(hangLimit));
      cluster = runs == null ? cluster : cluster.withRuns(runs);
      return aot == null ? cluster : cluster.withAotCache(aot);
    } catch (IllegalArgumentException e) {
      throw wrong(options, e);
    }
  }

  private static Cluster where(ParseResult options) {
    if (GIVEN.isBound()) {
      return GIVEN.get();
    }
    String on = options.matchedOptionValue(ON, THREADS);
    if (on.equals(THREADS)) {
      return Cluster.threads();
    }
    if (on.startsWith(PROCESSES)) {
      String count = on.substring(PROCESSES.length());
      try {
        return Cluster.processes(Integer.parseInt(count));
      } catch (NumberFormatException e) {
        // told below
      }
    }
    throw new IllegalArgumentException(
        "%s %s names no place for a run: take threads, or processes:4".formatted(ON, on));
  }
}
