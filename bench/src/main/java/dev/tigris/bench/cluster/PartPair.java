package dev.tigris.bench.cluster;

import dev.tigris.bench.LineProcesses;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Two processes with the command lines of [PartMain].
final class PartPair implements Closeable {
  private final LineProcesses both;
  private int runs;

  /// Starts both.
  ///
  /// @param folder for what they say of errors
  PartPair(String provider, Path folder) throws IOException {
    both =
        new LineProcesses(
            folder,
            List.of(),
            PartMain.class,
            List.of(List.of("0", provider), List.of("1", provider)));
  }

  /// Runs an experiment, and returns the numbers that one of the processes has found.
  double[] run(String command) throws IOException {
    runs++;
    both.say(runs + " " + command);
    both.say(String.join("\n", both.lines()));
    String numbers = String.join(" ", both.lines()).strip();
    if (numbers.isEmpty()) {
      throw both.failed(command + " has found nothing");
    }
    return Stream.of(numbers.split(" +", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  @Override
  public void close() throws IOException {
    both.close();
  }
}
