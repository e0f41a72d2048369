package dev.tigris.cli;

import dev.tigris.sort.LineOrder;
import dev.tigris.sort.LineSortJob;
import dev.tigris.sort.SortException;
import dev.tigris.sort.TextInput;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris sort --lines` and `--csv`: sorts text.
final class TextSort {
  /// The name of standard input and of standard output.
  static final Path STANDARD = Path.of("-");

  private static final String LINES = "--lines";
  private static final String CSV = "--csv";
  private static final String KEY = "--key";
  private static final String SEPARATOR = "--field-separator";
  private static final String STABLE = "--stable";
  private static final String UNIQUE = "--unique";
  private static final String ZERO = "--zero-terminated";
  private static final String TEMPORARY = "--temporary-directory";
  private static final List<String> OF_RECORDS =
      List.of("--record-size", "--key-offset", "--key-size", "--partitions");

  /// An ordering option: its letter, its name, and what it does.
  private record Ordering(char letter, String name, String description) {}

  // `sort -h` is --human-numeric-sort elsewhere, and help here.
  private static final List<Ordering> ORDERINGS =
      List.of(
          new Ordering('b', "--ignore-leading-blanks", "Skip blanks before keys."),
          new Ordering('d', "--dictionary-order", "Compare blanks, letters and digits only."),
          new Ordering('f', "--ignore-case", "Compare lower-case letters as upper-case ones."),
          new Ordering('g', "--general-numeric-sort", "Compare floating-point numbers."),
          new Ordering('h', "--human-numeric-sort", "Compare numbers with units, such as 2K, 1G."),
          new Ordering('i', "--ignore-nonprinting", "Compare printing characters only."),
          new Ordering('M', "--month-sort", "Compare months: JAN before DEC."),
          new Ordering('n', "--numeric-sort", "Compare decimal numbers."),
          new Ordering('r', "--reverse", "Turn the order round."),
          new Ordering('V', "--version-sort", "Compare version numbers in names."));

  private TextSort() {}

  static void addOptions(CommandSpec spec) {
    spec.addOption(
        Options.flag(
            LINES, "Sort lines of text as sort does in the C locale, by the options below."));
    spec.addOption(
        Options.flag(CSV, "Sort rows of CSV. The first row names the columns and stays first."));
    spec.addOption(
        OptionSpec.builder("-k", KEY)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("KEY")
            .description(
                "Compare by a key: of lines FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]], of CSV"
                    + " COLUMN[:OPTIONS]. Give it again for more keys. OPTIONS are letters such as"
                    + " nr.")
            .build());
    spec.addOption(
        OptionSpec.builder("-t", SEPARATOR)
            .type(String.class)
            .paramLabel("CHAR")
            .description("The byte between fields (default: blanks, of CSV a comma).")
            .build());
    for (Ordering each : ORDERINGS) {
      OptionSpec.Builder option =
          each.letter == 'h'
              ? OptionSpec.builder(each.name)
              : OptionSpec.builder("-" + each.letter, each.name);
      spec.addOption(option.type(boolean.class).description(each.description).build());
    }
    spec.addOption(flag("-s", STABLE, "Leave lines with equal keys in the order of the input."));
    spec.addOption(flag("-u", UNIQUE, "Keep the first of several lines with equal keys."));
    spec.addOption(flag("-z", ZERO, "Lines end with a NUL byte."));
    spec.addOption(
        OptionSpec.builder("-T", TEMPORARY)
            .type(Path.class)
            .paramLabel("FOLDER")
            .description("The folder for temporary files when the output is - (default: /tmp).")
            .build());
  }

  private static OptionSpec flag(String letter, String name, String description) {
    return OptionSpec.builder(letter, name).type(boolean.class).description(description).build();
  }

  /// Returns whether text is to be sorted. Refuses options of the one with the other.
  static boolean isAskedFor(ParseResult options) {
    boolean isText = options.hasMatchedOption(LINES) || options.hasMatchedOption(CSV);
    if (options.hasMatchedOption(LINES) && options.hasMatchedOption(CSV)) {
      throw misuse(options, "--csv sorts rows and --lines sorts lines: leave one out");
    }
    for (OptionSpec option : options.matchedOptions()) {
      String name = option.longestName();
      if (isText && OF_RECORDS.contains(name)) {
        throw misuse(options, name + " is for records of a fixed size: leave it out for text");
      }
      if (!isText && isOfText(name)) {
        throw misuse(options, name + " is for text: add --lines or --csv");
      }
    }
    return isText;
  }

  private static boolean isOfText(String name) {
    return List.of(KEY, SEPARATOR, STABLE, UNIQUE, ZERO, TEMPORARY).contains(name)
        || ORDERINGS.stream().anyMatch(each -> each.name.equals(name));
  }

  static ExitCode run(List<Path> files, ParseResult options, Console console) throws Exception {
    Path output = files.getLast();
    List<Path> inputs = files.subList(0, files.size() - 1);
    if (inputs.stream().filter(STANDARD::equals).count() > 1) {
      throw misuse(options, "standard input (-) can be read once: name it once");
    }
    LineSortJob.Result result = sort(inputs, output, options, console);
    var facts = new LinkedHashMap<String, Object>();
    facts.put("writtenRecords", result.keptLines());
    facts.put("writtenBytes", result.writtenBytes());
    facts.put("spilledBytes", result.spilledBytes());
    facts.put("peakMemoryBytes", result.peakMemoryBytes());
    Path shown = output.equals(STANDARD) ? Path.of("/dev/stdout") : output;
    new ResultLine(
            "sort",
            "sorted",
            options.hasMatchedOption(CSV) ? "rows" : "lines",
            result.lines(),
            result.bytes(),
            result.elapsed())
        .print(options, console, shown, facts);
    return ExitCode.OK;
  }

  private static LineSortJob.Result sort(
      List<Path> inputs, Path output, ParseResult options, Console console) throws Exception {
    LineSortJob job = LineSortJob.of(order(options));
    for (Path input : inputs) {
      job =
          job.input(
              input.equals(STANDARD)
                  ? TextInput.stream("standard input", new FileInputStream(FileDescriptor.in))
                  : TextInput.file(input));
    }
    if (options.hasMatchedOption("--memory")) {
      job = memory(job, options);
    }
    job = job.parallel(options.matchedOptionValue("--parallel", job.processors()));
    job = options.hasMatchedOption("--no-fsync") ? job.unforced() : job;
    Path temporary = options.matchedOptionValue(TEMPORARY, null);
    job = temporary == null ? job : job.temporary(temporary);
    try (var progress = new ProgressLine(console, options, "sort", 2)) {
      job = job.progress(progress);
      return output.equals(STANDARD)
          ? job.run(new FileOutputStream(FileDescriptor.out))
          : job.run(output);
    }
  }

  private static LineSortJob memory(LineSortJob job, ParseResult options) throws SortException {
    try {
      return job.memory(options.matchedOptionValue("--memory", 0L));
    } catch (IllegalArgumentException e) {
      throw misuse(options, String.valueOf(e.getMessage()));
    }
  }

  private static LineOrder order(ParseResult options) {
    boolean csv = options.hasMatchedOption(CSV);
    try {
      LineOrder.Builder order = LineOrder.builder();
      order = csv ? order.csv() : order;
      String separator = options.matchedOptionValue(SEPARATOR, "");
      if (options.hasMatchedOption(SEPARATOR)) {
        order.separator(separator(separator));
      }
      for (Ordering each : ORDERINGS) {
        order =
            options.hasMatchedOption(each.name)
                ? order.options(String.valueOf(each.letter))
                : order;
      }
      List<String> keys = options.matchedOptionValue(KEY, List.of());
      for (String key : keys) {
        order = csv ? column(order, key) : order.key(key);
      }
      order = options.hasMatchedOption(STABLE) ? order.stable() : order;
      order = options.hasMatchedOption(UNIQUE) ? order.unique() : order;
      order = options.hasMatchedOption(ZERO) ? order.zeroTerminated() : order;
      return order.build();
    } catch (IllegalArgumentException e) {
      throw misuse(options, String.valueOf(e.getMessage()));
    }
  }

  /// Reads a separator: a character of one byte, or `\0` or `\t`.
  private static char separator(String text) {
    return switch (text) {
      case "\\0" -> 0;
      case "\\t" -> '\t';
      default -> {
        if (text.length() != 1) {
          throw new IllegalArgumentException(
              "the separator '%s' is not one character: give one, or \\t, or \\0".formatted(text));
        }
        yield text.charAt(0);
      }
    };
  }

  /// Adds a column, such as `price:nr`. The options begin behind the last colon, since a name may
  /// have one.
  private static LineOrder.Builder column(LineOrder.Builder order, String key) {
    int colon = key.lastIndexOf(':');
    return colon < 0
        ? order.column(key, "")
        : order.column(key.substring(0, colon), key.substring(colon + 1));
  }

  private static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }
}
