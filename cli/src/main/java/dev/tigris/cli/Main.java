package dev.tigris.cli;

/// Where the launcher enters.
public final class Main {
  private Main() {}

  /// Runs one command and exits with its code.
  public static void main(String[] args) {
    var out = new StandardOutput();
    var console = Console.ofProcess(out.stream());
    ExitCode code = CtrlC.stoppable(() -> new Tigris(console).run(args));
    System.exit(out.outcome(code, console.err()).number());
  }
}
