package dev.tigris.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// A subcommand of `tigris`.
///
/// Its options are declared by calls and not by annotations: reading annotations took longer than
/// sorting a hundred thousand records does.
interface Command {
  /// Returns the options, and the help that teaches them.
  CommandSpec spec();

  /// Does the work. [Tigris] turns an exception into a message and an exit code.
  ExitCode run(ParseResult options, Console console) throws Exception;
}
