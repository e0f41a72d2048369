package dev.tigris.cluster.run.protocol;

import org.jspecify.annotations.Nullable;

/// One attempt of a run. Each message, stream and temporary file carries it.
///
/// @param run the run
/// @param attempt which attempt, from 1
public record Epoch(RunId run, int attempt) {
  /// Checks the number.
  public Epoch {
    if (attempt < 1) {
      throw new IllegalArgumentException(
          "attempt %d of run %s: attempts count from 1".formatted(attempt, run));
    }
  }

  /// Returns the next attempt.
  public Epoch next() {
    return new Epoch(run, attempt + 1);
  }

  // Java would make these two at run time, which the start of each process would wait for.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Epoch(RunId its, int number) && attempt == number && run.equals(its);
  }

  @Override
  public int hashCode() {
    return 31 * run.hashCode() + attempt;
  }

  @Override
  public String toString() {
    return run + "." + attempt;
  }
}
