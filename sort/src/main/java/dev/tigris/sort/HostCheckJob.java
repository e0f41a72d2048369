package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// Checks files on several hosts as the parts of one sequence of records or lines, in order. A
/// process of each host reads what lies there, and tells how much it has, and what comes first and
/// last. Of records it tells the checksum, too. These are joined here. Of CSV, each file has the
/// first row.
///
/// A job is immutable: each method that names an option returns a changed copy.
///
/// @param <C> the result: of records, that of [CheckJob]; of lines, that of [LineCheckJob]
public final class HostCheckJob<C> {
  private final Cluster cluster;
  private final HostShare share;
  private final HostKind<?, C> kind;

  private HostCheckJob(Cluster cluster, HostShare share, HostKind<?, C> kind) {
    this.cluster = cluster;
    this.share = share;
    this.kind = kind;
  }

  /// Returns a job that checks gensort's records.
  ///
  /// @param cluster of several hosts
  /// @param files in order, such as [HostSortJob.Result#parts]
  /// @throws IllegalArgumentException if there are none, or one is on none of the hosts
  @CheckReturnValue
  public static HostCheckJob<CheckJob.Result> of(Cluster cluster, List<HostFile> files) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("there is no file to check: name at least 1");
    }
    return of(cluster, HostShare.of(cluster, files));
  }

  /// Returns a job for these files, on a cluster that may be this process.
  static HostCheckJob<CheckJob.Result> of(Cluster cluster, HostShare share) {
    return new HostCheckJob<>(cluster, share, new RecordKind(RecordOrder.GENSORT));
  }

  /// Returns a copy of this job for records in another order, of which only the keys count.
  @CheckReturnValue
  public HostCheckJob<CheckJob.Result> order(RecordOrder records) {
    return new HostCheckJob<>(cluster, share, new RecordKind(records.forComparison()));
  }

  /// Returns a copy of this job for lines. Of a [LineOrder.Builder#unique] order, no line may be
  /// equal to the one before it.
  @CheckReturnValue
  public HostCheckJob<LineCheckJob.Result> order(LineOrder lines) {
    return new HostCheckJob<>(cluster, share, new LineKind(lines));
  }

  @Override
  public String toString() {
    return "HostCheckJob[%s, %s]".formatted(share.files(), kind);
  }

  /// Checks the files. Disorder is a result, not an error.
  ///
  /// @throws SortException if a file cannot be read, is not a whole number of records, or a host is
  ///     lost; a failure of a host names it
  /// @throws InterruptedException if the calling thread is interrupted
  public C run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    byte[][] found = new byte[share.files().size()][];
    try (TemporaryFolder folder = SortProcesses.elsewhere()) {
      List<byte[]> told =
          new SortProcesses(cluster, HostCheckProgram.class, share.files().getFirst().path())
              .run(folder, new HostCheckProgram.Plan(kind, share).text(), 0, Progress.NONE)
              .bytes(HostCheckProgram.RESULT);
      for (byte[] each : told) {
        var in = new DataInputStream(new ByteArrayInputStream(each));
        while (in.available() > 0) {
          int number = in.readInt();
          found[number] = in.readNBytes(in.readInt());
        }
      }
      HostKind.Checked<C> checked = kind.join(share.files(), Arrays.asList(found), folder);
      return checked.after(Duration.ofNanos(System.nanoTime() - started));
    } catch (SortException e) {
      throw e;
    } catch (IOException e) { // memory does not fail so, and processes have equal code
      throw new UncheckedIOException(e);
    }
  }
}
