package dev.tigris.cli;

import java.util.Locale;

/// Where the launcher enters.
public final class Main {
  private Main() {}

  /// Runs one command and exits with its code.
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // compilers and programs read numbers that are printed here
    var out = new StandardOutput();
    var console = Console.ofProcess(out.stream());
    ExitCode code;
    try {
      code = CtrlC.stoppable(() -> new Tigris(console).run(args));
    } catch (Throwable e) {
      // Not even the report could be made, for want of memory perhaps. The JVM would exit with 1.
      code = ExitCode.INTERNAL_ERROR;
    }
    System.exit(out.outcome(code, console.err()).number());
  }
}
