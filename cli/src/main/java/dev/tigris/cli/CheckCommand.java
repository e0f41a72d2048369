package dev.tigris.cli;

import dev.tigris.sort.CheckJob;
import dev.tigris.sort.CheckSummary;
import dev.tigris.sort.LineCheckJob;
import dev.tigris.sort.SortInput;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris check`: says whether records are in order, as valsort does.
final class CheckCommand implements Command {
  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addOption(
        OptionSpec.builder("-o")
            .type(Path.class)
            .paramLabel("SUMMARY")
            .description("Also write a summary to a file, for a later check with -s.")
            .build());
    spec.addOption(
        Options.flag(
            "-s",
            "The FILEs are summaries that -o has written, in the order of their partitions."));
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .converters(SortCommand::file)
            .paramLabel("FILE")
            .description("The files to check, as one sequence of records.")
            .build());
    Options.addRecordFormat(spec);
    Options.addKeys(spec);
    TextOptions.addOptions(spec);
    spec.addOption(TextOptions.flag("-u", Options.UNIQUE, "Equal keys are out of order, too."));
    spec.addOption(
        OptionSpec.builder(RunOptions.ON)
            .type(String.class)
            .paramLabel("hosts:FILE")
            .description("Check files HOST:PATH, each on its own host.")
            .build());
    HostFiles.addCheck(spec);
    RunOptions.addRun(spec);
    Options.addCommon(spec);
    spec.usageMessage()
        .header("Check that records, lines or rows are in order, and count them, as valsort does.")
        .description("", "The exit code is 0 if all are in order, and 1 if not.", "")
        .footer(
            "",
            "Examples:",
            "  tigris check sorted",
            "  tigris check sorted/part-*             partitions, read as one sequence",
            "  tigris check --on hosts:hosts.txt h1:/data/part-0000 h2:/data/part-0001",
            "  tigris check --key 8:u64le sorted      by a typed key",
            "  tigris check --csv -k amount:n a.csv   rows by a column",
            "  tigris check -o 0.sum part-0000        on one machine,",
            "  tigris check -o 1.sum part-0001        on another,",
            "  tigris check -s 0.sum 1.sum            and both together");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    boolean isOnHosts = RunOptions.isOnHosts(options);
    if (isOnHosts) {
      refuseOnHosts(options);
    } else {
      HostFiles.refuse(options);
    }
    List<Path> files = HostFiles.names(options.matchedPositionalValue(0, List.of()), options);
    if (files.isEmpty()) {
      throw TextOptions.misuse(options, "name the files to check: tigris check sorted");
    }
    Path summaryFile = options.matchedOptionValue("-o", null);
    boolean ofSummaries = options.hasMatchedOption("-s");
    if (TextOptions.isAskedFor(options)) {
      return checkText(files, options, console);
    }
    if (summaryFile != null) {
      Options.refuseFolder(options, options.matchedOption("-o").originalStringValues().getLast());
      CheckSummary.refuseOtherThanSummary(summaryFile);
    }
    if (ofSummaries) {
      refuseForSummaries(files, options);
    }
    CheckSummary summary;
    var facts = new LinkedHashMap<String, Object>();
    facts.put("command", "check");
    if (ofSummaries) {
      summary = CheckSummary.join(files);
    } else {
      CheckJob.Result result =
          isOnHosts ? HostFiles.check(files, options) : check(files, options, console);
      summary = result.summary();
      facts.put("bytes", result.bytes());
      facts.put("seconds", ResultLine.seconds(result.elapsed()));
    }
    if (summaryFile != null) {
      summary.write(summaryFile);
    }
    boolean isFine =
        options.hasMatchedOption(Options.UNIQUE)
            ? summary.isStrictlyOrdered()
            : summary.isOrdered();
    PrintStream out = summaryFile == null ? console.out() : console.beside(summaryFile);
    if (options.hasMatchedOption("--json")) {
      out.println(Json.object(describe(summary, isFine, facts)));
    } else if (!options.hasMatchedOption("--quiet") || !isFine) {
      verdict(summary, isFine).forEach(out::println);
    }
    return isFine ? ExitCode.OK : ExitCode.OUT_OF_ORDER;
  }

  /// Returns the lines of a summary. Where equal keys are out of order, the last one says so.
  private static List<String> verdict(CheckSummary summary, boolean isFine) {
    List<String> lines = new ArrayList<>(summary.verdict());
    if (summary.isOrdered() && !isFine) {
      lines.removeLast();
      lines.add(
          "ERROR - there are %s records with the key of the one before them"
              .formatted(summary.duplicates()));
    }
    return lines;
  }

  private static void refuseOnHosts(ParseResult options) {
    if (options.hasMatchedOption("-s")) {
      throw TextOptions.misuse(options, "hosts check files, not summaries: leave out --on, or -s");
    }
  }

  private static CheckJob.Result check(List<Path> files, ParseResult options, Console console)
      throws Exception {
    try (var progress = new ProgressLine(console, options, "check", 1)) {
      var job = CheckJob.ofInputs(TextOptions.inputs(files, options)).progress(progress);
      job = job.order(Options.recordOrder(options));
      job = job.parallel(options.matchedOptionValue("--parallel", job.parallel()));
      return job.run();
    }
  }

  private static ExitCode checkText(List<Path> files, ParseResult options, Console console)
      throws Exception {
    for (String option : List.of("-o", "-s", "--parallel")) {
      if (options.hasMatchedOption(option)) {
        throw new ParameterException(
            options.commandSpec().commandLine(), option + " is for records: leave it out for text");
      }
    }
    LineCheckJob.Result result =
        RunOptions.isOnHosts(options)
            ? HostFiles.checkText(files, options)
            : textHere(files, options, console);
    PrintStream out = console.out();
    LineCheckJob.Disorder first = result.first();
    if (options.hasMatchedOption("--json")) {
      var facts = new LinkedHashMap<String, Object>();
      facts.put("command", "check");
      facts.put("bytes", result.bytes());
      facts.put("seconds", ResultLine.seconds(result.elapsed()));
      facts.put("status", result.isOrdered() ? "ok" : "out of order");
      facts.put("records", result.lines());
      facts.put("duplicateKeys", result.duplicates());
      facts.put("unorderedRecords", result.unordered());
      if (first != null) {
        facts.put("firstUnorderedInput", first.input());
        facts.put("firstUnorderedLine", first.number());
      }
      out.println(Json.object(facts));
    } else if (!options.hasMatchedOption("--quiet") || first != null) {
      boolean isCsv = options.hasMatchedOption(TextOptions.CSV);
      if (first != null) {
        String line = isCsv ? "row" : "line";
        out.printf(
            "First unordered %s is %s %d of %s%n", line, line, first.number(), first.input());
      }
      out.printf("%s: %d%n", isCsv ? "Rows" : "Lines", result.lines());
      out.println(
          first == null
              ? "Duplicates: %d%nSUCCESS - all are in order".formatted(result.duplicates())
              : "ERROR - there are %d unordered ones".formatted(result.unordered()));
    }
    return result.isOrdered() ? ExitCode.OK : ExitCode.OUT_OF_ORDER;
  }

  private static LineCheckJob.Result textHere(
      List<Path> files, ParseResult options, Console console) throws Exception {
    try (var progress = new ProgressLine(console, options, "check", 1)) {
      LineCheckJob job = LineCheckJob.of(TextOptions.order(options)).progress(progress);
      for (SortInput input : TextOptions.inputs(files, options)) {
        job = job.input(input);
      }
      return job.run();
    }
  }

  /// Refuses options about reading records with -s, which reads summaries.
  private static void refuseForSummaries(List<Path> files, ParseResult options) {
    if (files.contains(TextOptions.STANDARD)) {
      throw TextOptions.misuse(options, Tigris.misspelling("-").orElseThrow());
    }
    for (String option :
        List.of("--record-size", "--key-offset", "--key-size", Options.KEY, "--parallel")) {
      if (options.hasMatchedOption(option)) {
        throw new ParameterException(
            options.commandSpec().commandLine(),
            "-s reads summaries, not records: remove %s".formatted(option));
      }
    }
  }

  private static Map<String, Object> describe(
      CheckSummary summary, boolean isFine, Map<String, Object> facts) {
    facts.put("status", isFine ? "ok" : "out of order");
    facts.put("records", summary.records());
    facts.put("checksum", summary.checksum().toHex());
    facts.put("duplicateKeys", summary.duplicates());
    facts.put("unorderedRecords", summary.unordered());
    if (summary.firstUnordered() != null) {
      facts.put("firstUnorderedRecord", summary.firstUnordered());
    }
    return facts;
  }
}
