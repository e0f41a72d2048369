package dev.tigris.bench.sort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A command line as a process of its own, timed and watched from outside.
///
/// @param words the command and its arguments
public record Command(List<String> words) {
  private static final long SAMPLE_MILLIS = 10;

  /// The result of a process.
  ///
  /// @param exit its exit code
  /// @param seconds from its start to its end
  /// @param peakBytes the highest anonymous plus shared resident memory that was seen
  /// @param output what it wrote, both streams together
  public record Outcome(int exit, double seconds, long peakBytes, String output) {
    /// Returns this outcome, or throws an exception with the output if the command failed.
    public Outcome orThrow(Command command) throws IOException {
      if (exit != 0) {
        throw new IOException("exit code " + exit + " of " + command + ": " + output);
      }
      return this;
    }
  }

  /// A command from its words.
  public static Command of(String... words) {
    return new Command(List.of(words));
  }

  /// A command line for the shell, run in the C locale.
  public static Command shell(String line) {
    return of("env", "LC_ALL=C", "sh", "-c", line);
  }

  /// Runs it to its end, whatever its exit code.
  ///
  /// @param folder for what it says
  public Outcome run(Path folder) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "command-", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(output.toFile());
      long start = System.nanoTime();
      Process process = builder.start();
      long end;
      long peakBytes = 0;
      try {
        while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
          peakBytes = Math.max(peakBytes, residentBytes(process.pid()));
        }
        end = System.nanoTime();
      } finally {
        process.destroyForcibly();
      }
      return new Outcome(
          process.exitValue(),
          (end - start) / 1e9,
          peakBytes,
          Files.readString(output, StandardCharsets.UTF_8));
    } finally {
      Files.delete(output);
    }
  }

  /// Anonymous plus shared resident memory; mapped files, which the system can drop, do not count.
  private static long residentBytes(long pid) {
    long kilobytes = 0;
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:")) {
          kilobytes += Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    } catch (IOException e) {
      return 0; // it has ended
    }
    return kilobytes * 1024;
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
