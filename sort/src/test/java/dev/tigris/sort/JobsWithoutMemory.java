package dev.tigris.sort;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/// A process that generates records and checks a file, and says how each of them fails.
final class JobsWithoutMemory {
  private JobsWithoutMemory() {}

  /// Checks and generates.
  ///
  /// @param arguments a file to check, and one to generate
  public static void main(String[] arguments) throws Exception {
    tell(() -> CheckJob.of(List.of(Path.of(arguments[0]))).run());
    tell(() -> GenerateJob.to(Path.of(arguments[1]), 1000).run());
  }

  private static void tell(Callable<?> job) throws Exception {
    try {
      System.out.println(job.call());
    } catch (SortException e) {
      System.out.println(e.kind() + ": " + e.getMessage());
    }
  }
}
