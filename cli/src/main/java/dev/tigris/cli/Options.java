package dev.tigris.cli;

import picocli.CommandLine.Model.OptionSpec;

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

  static OptionSpec json() {
    return flag("--json", "Print one JSON object for programs instead; failures too.");
  }

  static OptionSpec debug() {
    return flag("--debug", "Print the stack trace of a failure (TIGRIS_DEBUG does it too).");
  }
}
