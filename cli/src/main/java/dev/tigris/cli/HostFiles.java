package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.sort.CheckJob;
import dev.tigris.sort.HostCheckJob;
import dev.tigris.sort.HostFile;
import dev.tigris.sort.HostSortJob;
import dev.tigris.sort.LineCheckJob;
import dev.tigris.sort.LineSortJob;
import dev.tigris.sort.SortJob;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `tigris sort` and `tigris check` with files of several hosts, which are named `HOST:PATH`.
final class HostFiles {
  private static final String PARTS = "--parts";

  private HostFiles() {}

  /// Adds the options of a sort.
  static void addSort(CommandSpec spec) {
    addParts(spec, "On hosts: write the names of the parts to FILE, in order, one a line.");
  }

  /// Adds the options of a check.
  static void addCheck(CommandSpec spec) {
    addParts(spec, "On hosts: read the names of the parts from FILE, as sort has written them.");
  }

  private static void addParts(CommandSpec spec, String description) {
    spec.addOption(
        OptionSpec.builder(PARTS)
            .type(Path.class)
            .paramLabel("FILE")
            .description(description)
            .build());
    RunOptions.addHosts(spec);
  }

  /// Refuses the options that only commands on hosts have.
  static void refuse(ParseResult options) {
    if (options.hasMatchedOption(PARTS)) {
      throw TextOptions.misuse(
          options, PARTS + " is for files HOST:PATH and --on hosts:FILE: leave it out");
    }
  }

  /// Returns whether all hosts see the files of a sort: its inputs are paths, and name no host.
  ///
  /// @param names the inputs, and then the output
  static boolean areShared(List<Path> names, ParseResult options) {
    boolean areShared = names.subList(0, names.size() - 1).stream().allMatch(Path::isAbsolute);
    if (areShared && !names.getLast().isAbsolute()) {
      throw TextOptions.misuse(
          options,
          "all hosts write the output, %s: name it by a path that begins with /"
              .formatted(names.getLast()));
    }
    return areShared;
  }

  /// Sorts, and says what was done.
  ///
  /// @param names the inputs, and then the folder for the parts
  static ExitCode sort(List<Path> names, boolean isText, ParseResult options, Console console)
      throws Exception {
    refuse(options, "--no-fsync", TextSort.TEMPORARY, TextSort.MERGE);
    Path folder = names.getLast();
    if (folder.toString().indexOf(':') >= 0) {
      throw TextOptions.misuse(
          options,
          "each host gets parts in the folder %s: name it by its path alone".formatted(folder));
    }
    Cluster cluster = RunOptions.hosts(options);
    Path list = options.matchedOptionValue(PARTS, null);
    if (list != null && Files.isDirectory(list)) {
      throw TextOptions.misuse(options, list + " is a folder: name a file for the names of parts");
    }
    List<String> parts;
    ResultLine line;
    Map<String, Object> facts;
    try (var progress = new ProgressLine(console, options, "sort", 2)) {
      List<HostFile> inputs = parse(names.subList(0, names.size() - 1), cluster);
      HostSortJob<SortJob.Result> job = job(HostSortJob.of(cluster, inputs, folder), options);
      if (isText) {
        HostSortJob.Result<LineSortJob.Result> sorted =
            job.order(TextOptions.order(options)).progress(progress).run();
        parts = names(sorted.parts());
        line = TextSort.line(sorted.sort(), options);
        facts = TextSort.facts(sorted.sort());
      } else {
        HostSortJob.Result<SortJob.Result> sorted =
            job.order(Options.recordOrder(options)).progress(progress).run();
        parts = names(sorted.parts());
        SortJob.Result sort = sorted.sort();
        line = new ResultLine("sort", "sorted", sort.records(), sort.bytes(), sort.elapsed());
        facts = SortCommand.facts(sort);
      }
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
    if (list != null) {
      write(list, parts);
    }
    facts.put("parts", parts);
    line.print(options, console, folder, facts);
    if (list == null && !options.hasMatchedOption("--json")) {
      PrintStream out = console.out();
      parts.forEach(out::println);
    }
    return ExitCode.OK;
  }

  private static <S> HostSortJob<S> job(HostSortJob<S> job, ParseResult options) {
    return job.memory(options.matchedOptionValue("--memory", SortJob.DEFAULT_MEMORY_BYTES))
        .parallel(options.matchedOptionValue("--parallel", Integer.MAX_VALUE));
  }

  private static List<String> names(List<HostFile> files) {
    return files.stream().map(HostFile::toString).toList();
  }

  private static void write(Path list, List<String> parts) throws CommandException {
    try {
      Path _ = Files.write(list, parts);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT,
          "all parts are written, but not their names to %s (%s). They are: %s"
              .formatted(list, Reason.of(e), String.join(" ", parts)),
          e);
    }
  }

  /// Checks, and returns what was found.
  static CheckJob.Result check(List<Path> names, ParseResult options) throws Exception {
    refuse(options, "--parallel");
    Cluster cluster = RunOptions.hosts(options);
    try {
      List<HostFile> files = parse(names, cluster);
      return HostCheckJob.of(cluster, files).order(Options.recordOrder(options)).run();
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
  }

  /// Checks text, and returns what was found.
  static LineCheckJob.Result checkText(List<Path> names, ParseResult options) throws Exception {
    Cluster cluster = RunOptions.hosts(options);
    try {
      List<HostFile> files = parse(names, cluster);
      return HostCheckJob.of(cluster, files).order(TextOptions.order(options)).run();
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
  }

  /// Returns the names on the command line, or those in the file that an option names.
  static List<Path> names(List<Path> given, ParseResult options) throws CommandException {
    Path list = options.matchedOptionValue(PARTS, null);
    if (list == null) {
      return given;
    }
    if (!given.isEmpty()) {
      throw TextOptions.misuse(options, PARTS + " names all files: leave out " + given);
    }
    try {
      List<Path> all = new ArrayList<>();
      Files.readAllLines(list).stream()
          .filter(line -> !line.isBlank())
          .map(Path::of)
          .forEach(all::add);
      return all;
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  private static List<HostFile> parse(List<Path> names, Cluster cluster) {
    List<String> hosts = cluster.hosts();
    return names.stream().map(name -> HostFile.parse(name.toString(), hosts)).toList();
  }

  private static void refuse(ParseResult options, String... refused) {
    for (String option : refused) {
      if (options.hasMatchedOption(option)) {
        throw TextOptions.misuse(options, option + " is not for several hosts: leave it out");
      }
    }
  }
}
