package dev.tigris.cli;

import java.util.Locale;

/// The main class that the launcher starts.
public final class Main {
  private Main() {}

  /// Runs one command, and ends the process with its exit code.
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // compilers and programs read numbers that are printed here
    var out = new StandardOutput();
    var console = Console.ofProcess(out.stream());
    ExitCode code;
    try {
      code = out.outcome(CtrlC.stoppable(() -> new Tigris(console).run(args)), console.err());
    } catch (OutOfMemoryError e) {
      code = ExitCode.NO_MEMORY; // not even the report could be made; the JVM would exit with 1
    } catch (Throwable e) {
      System.err.println("tigris: this is a defect in Tigris: " + e);
      code = ExitCode.INTERNAL_ERROR;
    }
    if (code.number()
        != 0) { // else every thread has ended, and exit() would first look for a logger
      System.exit(code.number());
    }
  }
}
