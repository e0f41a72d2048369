package dev.tigris.cli;

import dev.tigris.sort.RecordFormat;
import dev.tigris.sort.RecordOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The options that several commands share.
final class Options {
  static final String KEY = "--key";
  static final String STABLE = "--stable";
  static final String UNIQUE = "--unique";
  static final String CLASSPATH = "--classpath";

  private Options() {}

  static OptionSpec help() {
    return OptionSpec.builder("-h", "--help")
        .usageHelp(true)
        .description("Print this help and exit.")
        .build();
  }

  static OptionSpec flag(String name, String... description) {
    return OptionSpec.builder(name).type(boolean.class).description(description).build();
  }

  static OptionSpec debug() {
    return flag("--debug", "Print the stack trace of a failure.");
  }

  /// What every command that works for a while understands.
  static void addCommon(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder("--parallel")
            .type(Integer.class)
            .converters(Quantity.THREADS)
            .paramLabel("N")
            .description("How many processors to use at most (default: all).")
            .build());
    spec.addOption(flag("--progress", "Show progress even if standard error is not a terminal."));
    spec.addOption(flag("--quiet", "Print failures only."));
    spec.addOption(flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(debug());
    spec.addOption(help());
  }

  static void addRecordFormat(CommandSpec spec) {
    spec.addOption(bytes("--record-size", "Bytes in a record, up to 1g (default: 100)."));
    spec.addOption(bytes("--key-offset", "Bytes before the key in a record (default: 0)."));
    spec.addOption(bytes("--key-size", "Bytes in the key (default: 10)."));
  }

  /// Adds keys: of records, of lines, and of CSV.
  static void addKeys(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder("-k", KEY)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("KEY")
            .description(
                "Compare by a key. A key of records is OFFSET:TYPE[:desc], such as 8:u64le,"
                    + " 0:i32be:desc, 16:f64le or 0:ascii:10. One of lines is"
                    + " FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]], and one of CSV"
                    + " COLUMN[:OPTIONS]. OPTIONS are letters such as nr. Give it again for more"
                    + " keys.")
            .build());
  }

  /// Returns the option that names folders and jars with classes.
  ///
  /// @param names other ones for it
  static OptionSpec classPath(String description, String... names) {
    return OptionSpec.builder(CLASSPATH, names)
        .type(String.class)
        .paramLabel("PATH")
        .description(description)
        .build();
  }

  private static OptionSpec bytes(String name, String description) {
    return OptionSpec.builder(name)
        .type(Integer.class)
        .converters(Quantity.RECORD_BYTES)
        .paramLabel("BYTES")
        .description(description)
        .build();
  }

  /// Refuses an output file whose name ends with a slash, as a folder's does.
  static void refuseFolder(ParseResult options, String name) {
    if (name.endsWith("/")) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "'%s' names a folder, since it ends with a slash: name a file for the output"
              .formatted(name));
    }
  }

  /// Refuses a file that cannot be written, before the work begins whose result it is for.
  static void requirePlace(String what, Path file) throws CommandException {
    Path folder = file.toAbsolutePath().resolveSibling(".");
    boolean isPlace =
        Files.exists(file)
            ? !Files.isDirectory(file) && Files.isWritable(file)
            : Files.isDirectory(folder) && Files.isWritable(folder);
    if (!isPlace) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT,
          "cannot write the %s to '%s': name a writable file in a folder that exists"
              .formatted(what, file));
    }
  }

  static RecordFormat recordFormat(ParseResult options) {
    RecordFormat usual = RecordFormat.GENSORT;
    int keySize = options.matchedOptionValue("--key-size", usual.keySize());
    try {
      return new RecordFormat(
          options.matchedOptionValue("--record-size", usual.recordSize()),
          options.matchedOptionValue("--key-offset", usual.keyOffset()),
          keySize);
    } catch (IllegalArgumentException e) {
      boolean isUsual = !options.hasMatchedOption("--key-size");
      throw new ParameterException(
          options.commandSpec().commandLine(),
          isUsual
              ? "%s. Give the size of the key with --key-size (default: %d)"
                  .formatted(e.getMessage(), keySize)
              : String.valueOf(e.getMessage()),
          e);
    }
  }

  /// Returns the order of records that the options describe.
  static RecordOrder recordOrder(ParseResult options) {
    List<String> keys = options.matchedOptionValue(KEY, List.of());
    RecordOrder order;
    if (keys.isEmpty()) {
      order = RecordOrder.of(recordFormat(options));
    } else {
      order = typedKeys(keys, options);
    }
    order = options.matchedOption(STABLE) == null ? order : order.stable();
    return options.matchedOption(UNIQUE) == null ? order : order.unique();
  }

  private static RecordOrder typedKeys(List<String> keys, ParseResult options) {
    CommandSpec command = options.commandSpec();
    for (String option : List.of("--key-offset", "--key-size")) {
      if (options.hasMatchedOption(option)) {
        throw new ParameterException(
            command.commandLine(),
            "a key says where it lies: leave out %s, such as --key 0:bytes:10".formatted(option));
      }
    }
    try {
      RecordOrder order =
          RecordOrder.ofRecords(
              options.matchedOptionValue("--record-size", RecordFormat.GENSORT.recordSize()));
      for (String key : keys) {
        order = order.key(key);
      }
      return order;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          command.commandLine(),
          "%s. Text needs --lines or --csv, records of another size --record-size"
              .formatted(e.getMessage()),
          e);
    }
  }
}
