package dev.tigris.cli;

import dev.tigris.memory.arrow.ArrowException;
import dev.tigris.memory.arrow.ArrowSchema;
import dev.tigris.memory.arrow.ArrowSummary;
import dev.tigris.memory.arrow.ArrowTextReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/// `tigris arrow`: shows what is in an Arrow file, and makes one of CSV, and CSV of one.
final class ArrowCommand implements Command {
  static final String SEPARATOR = "--field-separator";
  static final String TYPE = "--type";
  static final String PARALLEL = "--parallel";
  static final String COMPRESS = "--compress";
  private static final String COLUMN = "--column";

  /// The message of the system when the reader of a pipe has gone.
  private static final String READER_GONE = "Broken pipe";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(String.class)
            .paramLabel("MODE")
            .description("info, to-csv, or from-csv.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("1..*")
            .index("1..*")
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .converters(SortCommand::file)
            .paramLabel("FILE")
            .description("The file to read, and then the file to write.")
            .build());
    addOptions(spec);
    spec.usageMessage()
        .customSynopsis(
            "tigris arrow info [--json] FILE",
            "       tigris arrow to-csv [OPTIONS] FILE [OUT]",
            "       tigris arrow from-csv [OPTIONS] IN OUT")
        .header("Show what is in an Arrow file, and turn CSV into one and back.")
        .description(
            "",
            "pandas, Polars and DuckDB read Arrow files, which are also called Feather.",
            "from-csv reads all rows to find the types of the columns, and then again to",
            "write them. An output appears under its name only when it is complete.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris arrow info trades.arrow",
            "  tigris arrow from-csv trades.csv trades.arrow",
            "  tigris arrow from-csv --type zip:string trades.csv.gz trades.arrow",
            "  tigris arrow to-csv trades.arrow trades.csv",
            "  tigris arrow to-csv --column zip --column price trades.arrow | head");
    return spec;
  }

  private static void addOptions(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(TYPE)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("COLUMN:TYPE")
            .description(
                "from-csv: the type of a column, which its values decide otherwise: "
                    + String.join(", ", CsvToArrow.TYPES.keySet())
                    + ".")
            .build());
    spec.addOption(
        OptionSpec.builder(COLUMN)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("NAME")
            .description("to-csv: write this column, and others that are named so (default: all).")
            .build());
    spec.addOption(
        OptionSpec.builder("-t", SEPARATOR)
            .type(String.class)
            .paramLabel("CHAR")
            .description("The byte between fields of CSV (default: a comma).")
            .build());
    spec.addOption(
        OptionSpec.builder(COMPRESS)
            .type(String.class)
            .paramLabel("METHOD")
            .description("from-csv: compress values by lz4 or zstd (default: none).")
            .build());
    spec.addOption(
        OptionSpec.builder(PARALLEL)
            .type(Integer.class)
            .converters(Quantity.THREADS)
            .paramLabel("N")
            .description("from-csv: how many processors to use at most (default: all).")
            .build());
    spec.addOption(Options.flag("--quiet", "Print failures only."));
    spec.addOption(Options.flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    String mode = options.matchedPositionalValue(0, "");
    List<Path> files = options.matchedPositionalValue(1, List.of());
    return switch (mode) {
      case "info" -> {
        requireFiles(files, 1, 1, "name one Arrow file", options);
        refuseOthers(options, mode, List.of());
        yield info(files.getFirst(), options, console);
      }
      case "to-csv" -> {
        requireFiles(files, 1, 2, "name the Arrow file, and the file to write", options);
        refuseOthers(options, mode, List.of(COLUMN, SEPARATOR));
        Path output = files.size() == 1 ? TextOptions.STANDARD : files.getLast();
        yield toCsv(files.getFirst(), output, options, console);
      }
      case "from-csv" -> {
        requireFiles(files, 2, 2, "name the file of CSV, and the file to write", options);
        refuseOthers(options, mode, List.of(TYPE, SEPARATOR, PARALLEL, COMPRESS));
        yield new CsvToArrow(options).run(files.getFirst(), files.getLast(), console);
      }
      default ->
          throw TextOptions.misuse(
              options, "there is no mode '%s': use info, to-csv or from-csv".formatted(mode));
    };
  }

  private static void requireFiles(
      List<Path> files, int least, int most, String what, ParseResult options) {
    if (files.size() < least || files.size() > most) {
      throw TextOptions.misuse(
          options, "there are %d names of files: %s".formatted(files.size(), what));
    }
  }

  /// Refuses the options of another mode.
  private static void refuseOthers(ParseResult options, String mode, List<String> own) {
    for (String option : List.of(TYPE, COLUMN, SEPARATOR, PARALLEL, COMPRESS)) {
      if (options.hasMatchedOption(option) && !own.contains(option)) {
        throw TextOptions.misuse(
            options, "%s means nothing to 'arrow %s': leave it out".formatted(option, mode));
      }
    }
  }

  /// Returns the byte between the fields of CSV.
  static char separator(ParseResult options) {
    try {
      return options.hasMatchedOption(SEPARATOR)
          ? TextOptions.separator(options.matchedOptionValue(SEPARATOR, ","))
          : ',';
    } catch (IllegalArgumentException e) {
      throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
    }
  }

  // -- info

  private static ExitCode info(Path file, ParseResult options, Console console)
      throws CommandException {
    ArrowSummary summary;
    try {
      summary = file.equals(TextOptions.STANDARD) ? ofInput() : ArrowSummary.of(file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
    ArrowSchema schema = summary.schema();
    if (options.hasMatchedOption("--json")) {
      console.out().println(Json.object(facts(summary)));
      return ExitCode.OK;
    }
    console
        .out()
        .printf(
            "%s: an Arrow %s, rows: %,d, batches: %,d, bytes of values: %,d, %s%n",
            file,
            summary.isFile() ? "file" : "stream",
            summary.rows(),
            summary.batches(),
            summary.bytes(),
            summary.codecs().isEmpty()
                ? "not compressed"
                : "compressed by " + String.join(" and ", summary.codecs()));
    schema.toString().lines().forEach(line -> console.out().println("  " + printable(line)));
    return ExitCode.OK;
  }

  private static ArrowSummary ofInput() throws IOException {
    return ArrowSummary.of(StandardStreams.in());
  }

  /// Returns a name without characters that a terminal would obey.
  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }

  private static Map<String, Object> facts(ArrowSummary summary) {
    Map<String, Object> facts = Json.success("arrow info");
    facts.put("format", summary.isFile() ? "file" : "stream");
    facts.put("rows", summary.rows());
    facts.put("batches", summary.batches());
    facts.put("dictionaryMessages", summary.dictionaryMessages());
    facts.put("bytes", summary.bytes());
    facts.put("compression", List.copyOf(summary.codecs()));
    List<Map<String, Object>> columns = new ArrayList<>();
    for (ArrowSchema.Column column : summary.schema().columns()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("name", column.name());
      each.put("type", column.type());
      each.put("nullable", column.isNullable());
      columns.add(each);
    }
    facts.put("columns", columns);
    return facts;
  }

  static CommandException unreadable(Path file, Exception e) {
    return new CommandException(
        ExitCode.BAD_INPUT, "cannot read '%s': %s".formatted(file, Reason.of(e)), e);
  }

  // -- to-csv

  private static ExitCode toCsv(Path file, Path output, ParseResult options, Console console)
      throws CommandException {
    boolean isStandard = output.equals(TextOptions.STANDARD);
    if (!isStandard) {
      Options.refuseFolder(options, options.matchedPositional(1).originalStringValues().getLast());
      Options.requirePlace("CSV", output);
    }
    char separator = separator(options);
    List<String> names = options.matchedOptionValue(COLUMN, List.of());
    long begun = System.nanoTime();
    try (ArrowTextReader reader = reader(file, names)) {
      try {
        if (isStandard) {
          reader.writeCsv(StandardStreams.out(), separator);
        } else {
          reader.writeCsv(output, separator);
        }
      } catch (IllegalArgumentException e) {
        throw TextOptions.misuse(options, String.valueOf(e.getMessage()));
      } catch (ArrowException | EOFException e) {
        throw unreadable(file, e);
      } catch (IOException e) {
        if (READER_GONE.equals(e.getMessage())) {
          return ExitCode.READER_GONE;
        }
        throw new CommandException(
            ExitCode.BAD_OUTPUT, "cannot write '%s': %s".formatted(output, Reason.of(e)), e);
      }
      if (!isStandard) {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
        new ResultLine("arrow to-csv", "wrote", "rows", reader.rows(), size(output), elapsed)
            .print(options, console, output, Map.of());
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static ArrowTextReader reader(Path file, List<String> names) throws IOException {
    String[] columns = names.toArray(String[]::new);
    return file.equals(TextOptions.STANDARD)
        ? ArrowTextReader.of(StandardStreams.in(), columns)
        : ArrowTextReader.open(file, columns);
  }

  /// Returns the bytes of a file that was written; 0 if it is gone already.
  static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }
}
