package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Checks files on several hosts as the partitions of one sequence of records, in order. A process
/// of each host reads what lies there, and tells how many records it has, their checksum, and the
/// first and the last key. These are joined here.
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class HostCheckJob {
  private final Cluster cluster;
  private final HostShare share;
  private final RecordOrder order;

  private HostCheckJob(Cluster cluster, HostShare share, RecordOrder order) {
    this.cluster = cluster;
    this.share = share;
    this.order = order;
  }

  /// Returns a job that checks gensort's records.
  ///
  /// @param cluster of several hosts
  /// @param files in order, such as [HostSortJob.Result#parts]
  /// @throws IllegalArgumentException if there are none, or one is on none of the hosts
  @CheckReturnValue
  public static HostCheckJob of(Cluster cluster, List<HostFile> files) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("there is no file to check: name at least 1");
    }
    return new HostCheckJob(cluster, HostShare.of(cluster, files), RecordOrder.GENSORT);
  }

  /// Returns a copy of this job for another order, of which only the keys count.
  @CheckReturnValue
  public HostCheckJob order(RecordOrder records) {
    return new HostCheckJob(cluster, share, records.forComparison());
  }

  @Override
  public String toString() {
    return "HostCheckJob[%s, %s]".formatted(share.files(), order);
  }

  /// Checks the records. Disorder is a result, not an error.
  ///
  /// @throws SortException if a file cannot be read, is not a whole number of records, or a host is
  ///     lost; a failure of a host names it
  /// @throws InterruptedException if the calling thread is interrupted
  public CheckJob.Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    try (TemporaryFolder folder = SortProcesses.elsewhere()) {
      List<byte[]> told =
          new SortProcesses(cluster, HostCheckProgram.class, share.files().getFirst().path())
              .run(folder, new HostCheckProgram.Plan(order, share).text(), 0, Progress.NONE)
              .bytes(HostCheckProgram.RESULT);
      return joined(told, folder.resolve("summaries"), started);
    }
  }

  /// Joins the summaries of all files, through a file of them.
  private CheckJob.Result joined(List<byte[]> told, Path file, long started) throws SortException {
    byte[][] summaries = new byte[share.files().size()][];
    long bytes = 0;
    try {
      for (byte[] each : told) {
        var in = new DataInputStream(new ByteArrayInputStream(each));
        while (in.available() > 0) {
          int number = in.readInt();
          bytes += in.readLong();
          summaries[number] = in.readNBytes(in.readInt());
        }
      }
      try (var out = Files.newOutputStream(file)) {
        for (byte[] summary : summaries) {
          out.write(summary);
        }
      }
    } catch (IOException e) {
      throw SortException.writing(file, e);
    }
    CheckSummary summary = CheckSummary.join(List.of(file));
    return new CheckJob.Result(summary, bytes, Duration.ofNanos(System.nanoTime() - started));
  }
}
