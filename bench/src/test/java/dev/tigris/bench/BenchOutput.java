package dev.tigris.bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/// How `tigris bench` has ended, and what it has printed.
record BenchOutput(int exit, List<String> lines, String errors) {
  BenchOutput {
    lines = List.copyOf(lines);
  }

  static BenchOutput of(String... arguments) {
    return of(new Stop(), new StringWriter(), arguments);
  }

  /// @param err takes what is printed to the error stream
  static BenchOutput of(Stop stop, StringWriter err, String... arguments) {
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new Main(stop))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new BenchOutput(exit, out.toString().lines().toList(), err.toString());
  }
}
