package dev.tigris.cli;

/// Where the launcher enters.
public final class Main {
  private Main() {}

  /// Runs one command and exits with its code.
  public static void main(String[] args) {
    System.exit(CtrlC.stoppable(() -> new Tigris(Console.ofProcess()).run(args)).number());
  }
}
