package dev.tigris.cli;

import dev.tigris.cli.layout.LayoutException;
import dev.tigris.sort.SortException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Reports a failure: in a line or two on `err`, with `--json` as one object on `out`, and with
/// `--debug` (or TIGRIS_DEBUG in the environment) with its stack trace.
final class FailureReport {
  private final Console console;
  private final boolean json;
  private final boolean debug;

  private FailureReport(Console console, boolean json, boolean debug) {
    this.console = console;
    this.json = json;
    this.debug = debug;
  }

  /// Makes a report as the arguments ask for it. It reads the words themselves, since the failure
  /// may be that they cannot be parsed.
  static FailureReport asAskedFor(Console console, List<String> args) {
    boolean debug = args.contains("--debug") || System.getenv("TIGRIS_DEBUG") != null;
    return new FailureReport(console, args.contains("--json"), debug);
  }

  ExitCode usage(ParameterException failure) {
    ParameterException e = unknownOptions(failure).orElse(failure);
    var spec = e.getCommandLine().getCommandSpec();
    var message = new StringBuilder(String.valueOf(e.getMessage()).replaceFirst("^Error: ", ""));
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().getFirst();
      // Where a command takes several files, picocli matches none from the first wrong one on.
      Tigris.misspelling(first).ifPresent(why -> message.replace(0, message.length(), why));
      if (spec.parent() == null && !first.startsWith("-")) {
        message.replace(0, message.length(), "there is no command '%s'".formatted(first));
      }
      Optional<String> elsewhere =
          spec.name().equals("sort") ? TextOptions.elsewhere(first) : Optional.empty();
      if (elsewhere.isPresent()) {
        message.append(". ").append(elsewhere.get());
      } else if (!unmatched.getSuggestions().isEmpty()) {
        message
            .append("\nDid you mean ")
            .append(String.join(" or ", unmatched.getSuggestions()))
            .append('?');
      }
    }
    message.append("\nSee: ").append(spec.qualifiedName()).append(" --help");
    return report(ExitCode.USAGE, message.toString(), e);
  }

  /// Returns the failure about misspelled options alone, if there are any. It comes before one
  /// about missing words: picocli reports those first, and calls the values of unknown options
  /// options too.
  private static Optional<ParameterException> unknownOptions(ParameterException failure) {
    CommandLine command = failure.getCommandLine();
    List<String> options =
        command.getUnmatchedArguments().stream().filter(word -> word.startsWith("-")).toList();
    boolean mayHideThem =
        failure instanceof MissingParameterException
            || failure instanceof UnmatchedArgumentException;
    return mayHideThem && !options.isEmpty()
        ? Optional.of(new UnmatchedArgumentException(command, options))
        : Optional.empty();
  }

  ExitCode sort(SortException e) {
    ExitCode code =
        switch (e.kind()) {
          case INPUT -> ExitCode.BAD_INPUT;
          case OUTPUT, DISK_FULL -> ExitCode.BAD_OUTPUT;
          case MEMORY -> ExitCode.NO_MEMORY;
          case DATA, IO -> ExitCode.FAILED;
          case READER_GONE -> ExitCode.READER_GONE;
        };
    if (code == ExitCode.READER_GONE && !debug) {
      return code; // as a program is quiet that the signal SIGPIPE ends
    }
    return report(code, String.valueOf(e.getMessage()), e);
  }

  ExitCode layout(LayoutException e) {
    return report(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()), e);
  }

  ExitCode command(CommandException e) {
    return report(e.code(), String.valueOf(e.getMessage()), e);
  }

  ExitCode interrupted(Exception e) {
    return report(CtrlC.exitCode(), "stopped; nothing was left behind", e);
  }

  /// Reports too little memory, outside the heap or in it, or too few threads: the JDK has one
  /// error for both.
  ExitCode memory(Throwable e) {
    if (String.valueOf(e.getMessage()).contains("create native thread")) {
      return report(
          ExitCode.FAILED,
          "the system lets this process start no more threads: raise its limit (ulimit -u, or the"
              + " pids of its container), or use fewer (--parallel)",
          e);
    }
    return report(ExitCode.NO_MEMORY, "there is too little memory: " + e.getMessage(), e);
  }

  /// Reports a property of the user's with a wrong value.
  ExitCode initializer(ExceptionInInitializerError e) {
    String why =
        e.getCause() instanceof IllegalArgumentException refusal
            ? String.valueOf(refusal.getMessage())
            : "";
    return why.startsWith("-D") ? report(ExitCode.USAGE, why, e) : unexpected(e);
  }

  ExitCode unexpected(Throwable e) {
    return report(
        ExitCode.INTERNAL_ERROR,
        "this is a defect in Tigris: %s\nPlease report it with what --debug prints.".formatted(e),
        e);
  }

  private ExitCode report(ExitCode code, String message, Throwable cause) {
    if (json) {
      var facts = new LinkedHashMap<String, Object>();
      facts.put("status", "failed");
      facts.put("exitCode", code.number());
      facts.put("error", message);
      console.out().println(Json.object(facts));
    } else {
      console.err().println("tigris: " + message);
    }
    if (debug) {
      cause.printStackTrace(console.err());
    }
    return code;
  }
}
