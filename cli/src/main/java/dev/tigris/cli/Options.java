package dev.tigris.cli;

import dev.tigris.sort.RecordFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The options that several commands share.
final class Options {
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
            .description(
                "How many processors to use, if the memory is enough for all (default: all).")
            .build());
    spec.addOption(
        flag("--progress", "Show progress even where the error output is not a terminal."));
    spec.addOption(flag("--quiet", "Print failures only."));
    spec.addOption(flag("--json", "Print one JSON object, for programs; failures too."));
    spec.addOption(debug());
    spec.addOption(help());
  }

  static void addRecordFormat(CommandSpec spec) {
    spec.addOption(bytes("--record-size", "Bytes in a record, up to 1g (default: 100)."));
    spec.addOption(bytes("--key-offset", "Where in the record the key begins (default: 0)."));
    spec.addOption(bytes("--key-size", "Bytes in the key (default: 10)."));
  }

  private static OptionSpec bytes(String name, String description) {
    return OptionSpec.builder(name)
        .type(Integer.class)
        .converters(Quantity.RECORD_BYTES)
        .paramLabel("BYTES")
        .description(description)
        .build();
  }

  /// Refuses a name that a slash at its end makes that of a folder, and that is to become a file.
  static void refuseFolder(ParseResult options, String name) {
    if (name.endsWith("/")) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "'%s' is the name of a folder, by the slash at its end: name a file for the output"
              .formatted(name));
    }
  }

  /// Refuses a file that cannot be written before the work begins whose outcome it is for.
  static void requirePlace(String what, Path file) throws CommandException {
    Path folder = file.toAbsolutePath().resolveSibling(".");
    boolean isPlace =
        Files.exists(file)
            ? !Files.isDirectory(file) && Files.isWritable(file)
            : Files.isDirectory(folder) && Files.isWritable(folder);
    if (!isPlace) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT,
          "the %s cannot be '%s': name a file that may be written, in a folder that exists"
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
              ? "%s; a key has %d bytes unless --key-size says otherwise"
                  .formatted(e.getMessage(), keySize)
              : String.valueOf(e.getMessage()),
          e);
    }
  }
}
