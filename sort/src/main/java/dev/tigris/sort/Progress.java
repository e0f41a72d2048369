package dev.tigris.sort;

/// Receives the progress of a job. Several of the job's threads call it at a time, after each piece
/// of work, up to thousands of times a second. It must be quick and must not throw.
@FunctionalInterface
public interface Progress {
  /// A listener that ignores all reports.
  Progress NONE = (phase, doneBytes, totalBytes) -> {};

  /// The phase that a job is in.
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

  /// Reports that `doneBytes` of `totalBytes` of this phase are done. Calls from several threads
  /// may arrive out of order.
  void report(Phase phase, long doneBytes, long totalBytes);
}
