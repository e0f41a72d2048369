package dev.tigris.cli;

import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.UInt128;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/// `tigris gen`: makes gensort's records.
final class GenCommand implements Command {
  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addOption(Options.flag("-a", "Generate printable ASCII records instead of binary ones."));
    spec.addOption(
        Options.flag(
            "-s",
            "Generate skewed keys, as gensort -s does: some prefixes are much more frequent."));
    spec.addOption(
        OptionSpec.builder("-b")
            .type(UInt128.class)
            .converters(GenCommand::recordNumber)
            .paramLabel("N")
            .description("Begin with record N instead of record 0, as in -b1000.")
            .build());
    spec.addOption(Options.flag("-c", "Also print the sum of the records' CRC-32."));
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(Long.class)
            .converters(Quantity.COUNT)
            .paramLabel("COUNT")
            .description("How many records of 100 bytes to generate: 1000000, 1_000_000 or 1M.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("1")
            .type(Path.class)
            .paramLabel("FILE")
            .description(
                "The file to write. An existing file is replaced when the new one is complete.")
            .build());
    Options.addCommon(spec);
    spec.usageMessage()
        .header("Generate records to sort, byte for byte as gensort 1.5 does.")
        .footer(
            "",
            "Examples:",
            "  tigris gen 1M data                 a million records, 100 MB",
            "  tigris gen -a 1000 text            printable ones",
            "  tigris gen -b1000000 -c 1M more    the million after the first, with checksum");
    return spec;
  }

  private static UInt128 recordNumber(String text) {
    try {
      return UInt128.parse(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'%s' is not the number of a record: give a whole number below 2^128, in digits"
              .formatted(text));
    }
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    long count = options.matchedPositionalValue(0, 0L);
    Path file = options.matchedPositional(1).getValue();
    Options.refuseFolder(options, options.matchedPositional(1).originalStringValues().getFirst());
    GenerateJob.Result result = generate(count, file, options, console);
    var facts = new LinkedHashMap<String, Object>();
    if (result.checksum() != null) {
      facts.put("checksum", result.checksum().toHex());
    }
    new ResultLine("gen", "generated", result.records(), result.bytes(), result.elapsed())
        .print(options, console, file, facts);
    return ExitCode.OK;
  }

  private static GenerateJob.Result generate(
      long count, Path file, ParseResult options, Console console) throws Exception {
    try (var progress = new ProgressLine(console, options, "gen", 1)) {
      var job = job(count, file, options).progress(progress);
      job = options.hasMatchedOption("-a") ? job.ascii() : job;
      job = options.hasMatchedOption("-s") ? job.skewed() : job;
      job = options.hasMatchedOption("-c") ? job.checksum() : job;
      job = job.from(options.matchedOptionValue("-b", UInt128.ZERO));
      job = job.parallel(options.matchedOptionValue("--parallel", job.parallel()));
      return job.run();
    }
  }

  private static GenerateJob job(long count, Path file, ParseResult options) {
    try {
      return GenerateJob.to(file, count);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          options.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
