package dev.tigris.sort;

/// Hears how far a job is. Called from the job's threads, several at a time, after each piece of
/// work: up to thousands of times a second. It must be quick and must not throw.
@FunctionalInterface
public interface Progress {
  /// Hears nothing.
  Progress NONE = (phase, doneBytes, totalBytes) -> {};

  /// The work of a job at a time.
  enum Phase {
    /// Records are generated and written.
    GENERATE,
    /// Records are read and checked.
    CHECK,
    /// Keys are sampled, to find where the output is to be split.
    SAMPLE,
    /// The input is read and partitioned.
    PARTITION,
    /// Partitions are sorted and written.
    SORT,
    /// The output is forced to the disk.
    SYNC,
  }

  /// Says that `doneBytes` of `totalBytes` of this phase are done. Calls from several threads may
  /// arrive out of order.
  void report(Phase phase, long doneBytes, long totalBytes);
}
