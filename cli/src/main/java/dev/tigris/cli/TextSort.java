package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.sort.LineCheckJob;
import dev.tigris.sort.LineSortJob;
import dev.tigris.sort.SortException;
import dev.tigris.sort.SortInput;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `tigris sort --lines` and `--csv`: sorts, merges and checks text.
final class TextSort {
  static final String TEMPORARY = "--temporary-directory";
  static final String MERGE = "--merge";
  static final String CHECK = "--check";
  static final String CHECK_QUIETLY = "--check-quietly";

  private TextSort() {}

  static void addOptions(CommandSpec spec) {
    TextOptions.addOptions(spec);
    spec.addOption(
        TextOptions.flag("-m", MERGE, "Merge text that is in order already, as it comes."));
    spec.addOption(
        TextOptions.flag(
            "-c",
            CHECK,
            "Sort nothing: tell the first line that is out of order, and exit with 1."));
    spec.addOption(TextOptions.flag("-C", CHECK_QUIETLY, "As -c, without a word."));
    spec.addOption(
        OptionSpec.builder("-T", TEMPORARY)
            .type(Path.class)
            .paramLabel("FOLDER")
            .description(
                "The folder for temporary files when the output is - or a pipe (default: /tmp).")
            .build());
  }

  /// Returns whether nothing is to be sorted.
  static boolean isCheck(ParseResult options) {
    return options.hasMatchedOption(CHECK) || options.hasMatchedOption(CHECK_QUIETLY);
  }

  /// Checks as `sort -c` does, in its words.
  static ExitCode check(List<Path> files, ParseResult options, Console console) throws Exception {
    if (files.size() > 1) {
      throw TextOptions.misuse(
          options, "-c checks one file: leave the others out, or use tigris check --lines");
    }
    if (options.hasMatchedOption(RunOptions.ON)) {
      throw TextOptions.misuse(options, "-c reads its file in one process: leave out --on");
    }
    LineCheckJob job = LineCheckJob.of(TextOptions.order(options)).untilFirst();
    for (SortInput input : TextOptions.inputs(files, options)) {
      job = job.input(input);
    }
    LineCheckJob.Disorder first = job.run().first();
    if (first == null) {
      return ExitCode.OK;
    }
    if (!options.hasMatchedOption(CHECK_QUIETLY)) {
      console
          .err()
          .printf("sort: %s:%d: disorder: %s%n", first.input(), first.number(), first.text());
    }
    return ExitCode.OUT_OF_ORDER;
  }

  static ExitCode run(List<Path> files, ParseResult options, Console console) throws Exception {
    Path output = files.getLast();
    List<Path> inputs = files.subList(0, files.size() - 1);
    LineSortJob.Result result = sort(inputs, output, options, console);
    Path shown = output.equals(TextOptions.STANDARD) ? TextOptions.STANDARD_OUTPUT : output;
    line(result, options).print(options, console, shown, facts(result));
    return ExitCode.OK;
  }

  /// Returns what was done, for JSON.
  static Map<String, Object> facts(LineSortJob.Result result) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("writtenRecords", result.keptLines());
    facts.put("writtenBytes", result.writtenBytes());
    facts.put("spilledBytes", result.spilledBytes());
    facts.put("peakMemoryBytes", result.peakMemoryBytes());
    if (!result.processes().isEmpty()) {
      facts.put("processes", SortCommand.facts(result.processes()));
    }
    return facts;
  }

  /// Returns what was done, for people.
  static ResultLine line(LineSortJob.Result result, ParseResult options) {
    return new ResultLine(
        "sort",
        "sorted",
        options.hasMatchedOption(TextOptions.CSV) ? "rows" : "lines",
        result.lines(),
        result.bytes(),
        result.elapsed());
  }

  private static LineSortJob.Result sort(
      List<Path> inputs, Path output, ParseResult options, Console console) throws Exception {
    LineSortJob job = LineSortJob.of(TextOptions.order(options));
    for (SortInput input : TextOptions.inputs(inputs, options)) {
      job = job.input(input);
    }
    if (options.hasMatchedOption(MERGE) && options.hasMatchedOption(RunOptions.ON)) {
      throw TextOptions.misuse(
          options, "-m reads its files in turn, in one process: leave out --on, or -m");
    }
    job = options.hasMatchedOption(MERGE) ? job.merging() : job;
    if (options.hasMatchedOption("--memory")) {
      job = memory(job, options);
    }
    job = job.parallel(RunOptions.parallel(options, job.processors()));
    job = options.hasMatchedOption("--no-fsync") ? job.unforced() : job;
    Path temporary = options.matchedOptionValue(TEMPORARY, null);
    job = temporary == null ? job : job.temporary(temporary);
    if (options.hasMatchedOption(RunOptions.ON)) {
      Cluster cluster = RunOptions.sortCluster(options);
      int processors = RunOptions.parallel(options, cluster, job.processors());
      job = cluster.isThreads() ? job : job.parallel(processors).on(cluster);
    }
    try (var progress = new ProgressLine(console, options, "sort", 2)) {
      job = job.progress(progress);
      return output.equals(TextOptions.STANDARD) ? job.run(StandardStreams.out()) : job.run(output);
    }
  }

  private static LineSortJob memory(LineSortJob job, ParseResult options) throws SortException {
    try {
      return job.memory(options.matchedOptionValue("--memory", 0L));
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
  }
}
