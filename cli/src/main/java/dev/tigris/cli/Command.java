package dev.tigris.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// One subcommand.
///
/// Its options are declared by calls and not by annotations: reading annotations took
/// longer than sorting a hundred thousand records does.
interface Command {
  /// The options, and the help that teaches them.
  CommandSpec spec();

  /// Does the work. What it throws, [Tigris] turns into a message and an exit code.
  ExitCode run(ParseResult options, Console console) throws Exception;
}
