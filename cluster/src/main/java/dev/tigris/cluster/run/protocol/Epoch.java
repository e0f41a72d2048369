package dev.tigris.cluster.run.protocol;

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

  @Override
  public String toString() {
    return run + "." + attempt;
  }
}
