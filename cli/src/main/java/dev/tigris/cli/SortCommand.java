package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.sort.SortJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris sort`: sorts files of records of one size.
final class SortCommand implements Command {
  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("1..*")
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .converters(SortCommand::file)
            .paramLabel("FILE")
            .description("The files to sort, and then the file to write.")
            .build());
    Options.addRecordFormat(spec);
    Options.addKeys(spec);
    spec.addOption(
        TextOptions.flag(
            "-s", Options.STABLE, "Leave what has equal keys in the order of the input."));
    spec.addOption(
        TextOptions.flag("-u", Options.UNIQUE, "Keep the first of those with equal keys."));
    spec.addOption(
        OptionSpec.builder("--memory")
            .type(Long.class)
            .converters(Quantity.MEMORY)
            .paramLabel("SIZE")
            .description(
                "Memory for records, such as 512m or 2g (default: 2g, or less if the process may not use"
                    + " so much). Records that do not fit go to temporary files beside the output. The least"
                    + " is a few megabytes and room for about ten records.")
            .build());
    spec.addOption(
        Options.flag(
            "--partitions",
            "Write a new folder of files part-0000, part-0001, ... instead of one file; their"
                + " concatenation is sorted."));
    spec.addOption(
        Options.flag(
            "--no-fsync",
            "Do not force the output to the disk: faster, but after a loss of power it may be"
                + " damaged."));
    TextSort.addOptions(spec);
    addPlaces(spec);
    Options.addCommon(spec);
    spec.usageMessage()
        .customSynopsis("tigris sort [OPTIONS] IN... OUT")
        .header("Sort records of a fixed size, lines of text or rows of CSV.")
        .description(
            "",
            "Without --key, records are compared by unsigned bytes at a fixed place. The",
            "output appears under its name only when it is complete and on the disk. An",
            "interrupted sort leaves nothing behind.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris sort data sorted",
            "  tigris sort --memory 512m monday tuesday week",
            "  tigris sort --on processes:4 data sorted",
            "  tigris sort --on spark:spark://master:7077 --workers 4 data sorted",
            "  tigris sort --on hosts:hosts.txt h1:/data/a h2:/data/b /data/sorted",
            "  tigris sort --record-size 64 --key-offset 8 --key-size 4 trades by-price",
            "  tigris sort --record-size 64 --key 8:f64le:desc --key 0:ascii:8 in out",
            "  tigris sort --csv -k country -k amount:nr trades.csv sorted.csv",
            "  zcat log.gz | tigris sort --lines -k 2,2n - -",
            "  cat trades | tigris sort --record-size 64 --key 8:f64le - sorted.zst");
    return spec;
  }

  private static void addPlaces(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(RunOptions.ON)
            .type(String.class)
            .paramLabel("WHERE")
            .description(
                "Where to sort: in this process (threads, the default), in processes:N of this"
                    + " host, on hosts:FILE, or on spark:MASTER. Hosts take inputs HOST:PATH and a"
                    + " folder for parts, or paths of files that all of them see. All executors of"
                    + " Spark have to see the files."
                    + " --memory is for each process; processes:N divide --parallel.")
            .build());
    RunOptions.addRun(spec);
    RunOptions.addSpark(spec);
    HostFiles.addSort(spec);
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<Path> files = options.matchedPositionalValue(0, List.of());
    boolean isText = TextOptions.isAskedFor(options);
    if (isText && TextSort.isCheck(options)) {
      return TextSort.check(files, options, console);
    }
    if (files.size() < 2) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "name the files to sort, and then the file to write: tigris sort data sorted");
    }
    if (RunOptions.isSortOnSpark(options) && !RunOptions.GIVEN.isBound()) {
      HostFiles.refuse(options);
      refuseStandard(files, options);
      return SparkSubmit.of(System.getenv()).sort(options, console);
    }
    if (RunOptions.isOnHosts(options) && !HostFiles.areShared(files, options)) {
      return HostFiles.sort(files, isText, options, console);
    }
    HostFiles.refuse(options);
    if (isText) {
      return TextSort.run(files, options, console);
    }
    Path output = files.getLast();
    boolean isStandard = output.equals(TextOptions.STANDARD);
    if (options.hasMatchedOption("--partitions")) {
      refusePartitions(output, options);
    } else if (!isStandard) {
      Options.refuseFolder(options, options.matchedPositional(0).originalStringValues().getLast());
    }
    SortJob.Result result = sort(files.subList(0, files.size() - 1), output, options, console);
    Map<String, Object> facts = facts(result);
    new ResultLine("sort", "sorted", result.records(), result.bytes(), result.elapsed())
        .print(options, console, isStandard ? TextOptions.STANDARD_OUTPUT : output, facts);
    return ExitCode.OK;
  }

  /// Returns what was done, for JSON.
  static Map<String, Object> facts(SortJob.Result result) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("writtenRecords", result.keptRecords());
    facts.put("checksum", result.checksum().toHex());
    facts.put("files", result.files());
    facts.put("passes", result.passes());
    facts.put("spilledBytes", result.spilledBytes());
    facts.put("peakMemoryBytes", result.peakMemoryBytes());
    facts.put("samplingSeconds", seconds(result.sampling()));
    facts.put("partitioningSeconds", seconds(result.partitioning()));
    facts.put("sortingSeconds", seconds(result.sorting()));
    facts.put("syncingSeconds", seconds(result.syncing()));
    if (!result.processes().isEmpty()) {
      facts.put("processes", facts(result.processes()));
    }
    return facts;
  }

  /// Returns what each process did, for JSON.
  static List<Map<String, Object>> facts(List<SortJob.ProcessResult> processes) {
    return processes.stream().map(SortCommand::facts).toList();
  }

  private static Map<String, Object> facts(SortJob.ProcessResult process) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("process", process.process());
    facts.put("readBytes", process.readBytes());
    facts.put("sortedBytes", process.sortedBytes());
    facts.put("spilledBytes", process.spilledBytes());
    facts.put("peakMemoryBytes", process.peakMemoryBytes());
    return facts;
  }

  private static void refuseStandard(List<Path> files, ParseResult options) {
    if (files.contains(TextOptions.STANDARD)) {
      throw TextOptions.misuse(
          options, "- is no file, and all executors of Spark have to see the files: name one");
    }
  }

  private static void refusePartitions(Path output, ParseResult options) {
    String name = output.toString();
    if (output.equals(TextOptions.STANDARD)) {
      throw TextOptions.misuse(
          options, "--partitions writes files, and - takes one output: name a folder");
    }
    if (name.endsWith(".gz") || name.endsWith(".zst")) {
      throw TextOptions.misuse(
          options,
          "--partitions writes a folder of files that are not compressed: name it without '%s'"
              .formatted(name.substring(name.lastIndexOf('.'))));
    }
  }

  /// Reads a name, which may be `-`.
  static Path file(String name) {
    return name.equals("-") ? TextOptions.STANDARD : Tigris.path(name);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static SortJob.Result sort(
      List<Path> inputs, Path output, ParseResult options, Console console) throws Exception {
    try (var progress = new ProgressLine(console, options, "sort", 2)) {
      return job(inputs, output, options).progress(progress).run();
    }
  }

  private static SortJob on(SortJob job, ParseResult options) throws CommandException {
    Cluster cluster = RunOptions.sortCluster(options);
    int processors = RunOptions.parallel(options, cluster, job.parallel());
    return cluster.isThreads() ? job : job.parallel(processors).on(cluster);
  }

  /// Returns the sort that the options ask for.
  static SortJob job(List<Path> inputs, Path output, ParseResult options) throws CommandException {
    var job = SortJob.ofInputs(TextOptions.inputs(inputs, options), output);
    job = job.order(Options.recordOrder(options));
    job = job.memory(options.matchedOptionValue("--memory", job.memoryBytes()));
    job = job.parallel(RunOptions.parallel(options, job.parallel()));
    job = options.hasMatchedOption(RunOptions.ON) ? on(job, options) : job;
    job = options.hasMatchedOption("--partitions") ? job.partitioned() : job;
    Path temporary = options.matchedOptionValue(TextSort.TEMPORARY, null);
    job = temporary == null ? job : job.temporary(temporary);
    if (output.equals(TextOptions.STANDARD)) {
      job = job.toStream(StandardStreams.out());
    }
    return options.hasMatchedOption("--no-fsync") ? job.unforced() : job;
  }
}
