package dev.tigris.cli;

import dev.tigris.sort.LineOrder;
import dev.tigris.sort.SortInput;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The options that say how text is ordered, for `tigris sort` and `tigris check`.
final class TextOptions {
  /// The name of standard input and of standard output.
  static final Path STANDARD = Path.of("-");

  /// The name of the standard output in results.
  static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

  static final String CSV = "--csv";
  private static final String LINES = "--lines";

  /// Further characters have more bytes than one in UTF-8.
  private static final char LAST_OF_ONE_BYTE = 0x7f;

  private static final String RANDOM = "A random order is not supported: use shuf";
  private static final String SEPARATOR = "--field-separator";
  private static final String ZERO = "--zero-terminated";
  private static final List<String> OF_RECORDS =
      List.of("--record-size", "--key-offset", "--key-size", "--partitions");
  private static final List<String> OF_TEXT =
      List.of(SEPARATOR, ZERO, TextSort.MERGE, TextSort.CHECK, TextSort.CHECK_QUIETLY);

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

  /// Options of other programs that sort, which this one has not, and what to do.
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry("-o", "The file to write is the last name"),
          Map.entry("--output", "The file to write is the last name"),
          Map.entry("-S", "The memory is --memory"),
          Map.entry("--buffer-size", "The memory is --memory"),
          Map.entry("-R", RANDOM),
          Map.entry("--random-sort", RANDOM),
          Map.entry("--random-source", RANDOM),
          Map.entry("--sort", "Give its letter, such as -n for numeric"),
          Map.entry("--files0-from", "Name the files, as xargs -0 does"),
          Map.entry("--batch-size", "Inputs are merged all at once: leave it out"),
          Map.entry("--compress-program", "Temporary files are not compressed: leave it out"));

  /// Options with a value that GNU sort has, and this one's in their place.
  private static final Map<String, String> SAME =
      Map.of(
          "--check=diagnose-first", TextSort.CHECK,
          "--check=quiet", TextSort.CHECK_QUIETLY,
          "--check=silent", TextSort.CHECK_QUIETLY,
          "--sort=general-numeric", "--general-numeric-sort",
          "--sort=human-numeric", "--human-numeric-sort",
          "--sort=month", "--month-sort",
          "--sort=numeric", "--numeric-sort",
          "--sort=version", "--version-sort");

  private TextOptions() {}

  /// Returns the words of a command line of `sort`, where GNU's longer forms of options are this
  /// one's.
  ///
  /// @throws ParameterException if a check is to be of another kind
  static String[] spelled(CommandLine sort, String... words) {
    String[] spelled = words.clone();
    for (int i = 0; i < words.length && !words[i].equals("--"); i++) {
      spelled[i] = SAME.getOrDefault(words[i], words[i]);
      if (spelled[i].startsWith(TextSort.CHECK + "=")) {
        throw new ParameterException(
            sort,
            "%s: the kind of check is diagnose-first, quiet or silent: give one of these"
                .formatted(words[i]));
      }
    }
    return spelled;
  }

  /// Returns what to do in place of an option that other programs have, and `sort` has not.
  static Optional<String> elsewhere(String option) {
    boolean isLong = option.startsWith("--");
    int end = isLong ? option.indexOf('=') : Math.min(2, option.length());
    return Optional.ofNullable(ELSEWHERE.get(end < 0 ? option : option.substring(0, end)));
  }

  static void addOptions(CommandSpec spec) {
    spec.addOption(
        Options.flag(
            LINES, "Take lines of text, as sort does in the C locale, by the options below."));
    spec.addOption(
        Options.flag(CSV, "Take rows of CSV. The first row names the columns and stays first."));
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
    spec.addOption(flag("-z", ZERO, "Lines end with a NUL byte."));
  }

  static OptionSpec flag(String letter, String name, String description) {
    return OptionSpec.builder(letter, name).type(boolean.class).description(description).build();
  }

  /// Returns whether the options are for text. Refuses options of the one with the other.
  static boolean isAskedFor(ParseResult options) {
    boolean isText = options.hasMatchedOption(LINES) || options.hasMatchedOption(CSV);
    if (options.hasMatchedOption(LINES) && options.hasMatchedOption(CSV)) {
      throw misuse(options, "--csv takes rows and --lines takes lines: leave one out");
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
    return OF_TEXT.contains(name) || ORDERINGS.stream().anyMatch(each -> each.name.equals(name));
  }

  /// Returns the inputs of these names.
  ///
  /// @throws ParameterException if standard input is named twice
  static List<SortInput> inputs(List<Path> files, ParseResult options) {
    if (files.stream().filter(STANDARD::equals).count() > 1) {
      throw misuse(options, "standard input (-) can be read once: name it once");
    }
    return files.stream()
        .map(
            file ->
                file.equals(STANDARD)
                    ? SortInput.stream("-", StandardStreams.in())
                    : SortInput.file(file))
        .toList();
  }

  /// Returns the order that the options describe.
  static LineOrder order(ParseResult options) {
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
      List<String> keys = options.matchedOptionValue(Options.KEY, List.of());
      for (String key : keys) {
        order = csv ? column(order, key) : order.key(key);
      }
      order = isGiven(options, Options.STABLE) ? order.stable() : order;
      order = isGiven(options, Options.UNIQUE) ? order.unique() : order;
      order = options.hasMatchedOption(ZERO) ? order.zeroTerminated() : order;
      return order.build();
    } catch (IllegalArgumentException e) {
      throw misuse(options, String.valueOf(e.getMessage()));
    }
  }

  /// Reads a separator: a character of one byte, or `\0` or `\t`.
  static char separator(String text) {
    return switch (text) {
      case "\\0" -> 0;
      case "\\t" -> '\t';
      default -> {
        if (text.length() != 1 || text.charAt(0) > LAST_OF_ONE_BYTE) {
          throw new IllegalArgumentException(
              "the separator '%s' is not one character of one byte: give one, or \\t, or \\0"
                  .formatted(text));
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

  /// Whether an option is given, which not every command has.
  private static boolean isGiven(ParseResult options, String name) {
    return options.matchedOption(name) != null;
  }

  static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }
}
