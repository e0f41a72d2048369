package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks files of text on several hosts as parts of one sequence of lines, in order: as
/// [HostCheckJob] of records. Of CSV, each file has the first row.
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class HostLineCheckJob {
  private final Cluster cluster;
  private final HostShare share;
  private final LineOrder order;

  private HostLineCheckJob(Cluster cluster, HostShare share, LineOrder order) {
    this.cluster = cluster;
    this.share = share;
    this.order = order;
  }

  /// Returns a job that checks for an order. Of a [LineOrder.Builder#unique] one, no line may be
  /// equal to the one before it.
  ///
  /// @param cluster of several hosts
  /// @param files in order, such as [HostLineSortJob.Result#parts]
  /// @throws IllegalArgumentException if there are none, or one is on none of the hosts
  @CheckReturnValue
  public static HostLineCheckJob of(Cluster cluster, List<HostFile> files, LineOrder order) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("there is no file to check: name at least 1");
    }
    return new HostLineCheckJob(cluster, HostShare.of(cluster, files), order);
  }

  @Override
  public String toString() {
    return "HostLineCheckJob[%s, %s]".formatted(share.files(), order);
  }

  /// Checks the lines. Disorder is a result, not an error.
  ///
  /// @throws SortException if a file cannot be read, or a host is lost; a failure of a host names
  ///     it
  /// @throws InterruptedException if the calling thread is interrupted
  public LineCheckJob.Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    List<LineCheckJob.@Nullable Ends> found = new ArrayList<>();
    share.files().forEach(file -> found.add(null));
    try (TemporaryFolder folder = SortProcesses.elsewhere()) {
      List<byte[]> told =
          new SortProcesses(cluster, HostLineCheckProgram.class, share.files().getFirst().path())
              .run(folder, new HostLineCheckProgram.Plan(order, share).text(), 0, Progress.NONE)
              .bytes(HostLineCheckProgram.RESULT);
      for (byte[] each : told) {
        var in = new DataInputStream(new ByteArrayInputStream(each));
        while (in.available() > 0) {
          int number = in.readInt();
          found.set(number, HostLineCheckProgram.readEnds(in));
        }
      }
    } catch (SortException e) {
      throw e;
    } catch (IOException e) { // memory does not fail so, and processes have equal code
      throw new UncheckedIOException(e);
    }
    Joined joined = new Joined();
    for (int number = 0; number < found.size(); number++) {
      LineCheckJob.Ends ends = found.get(number);
      if (ends == null) {
        throw new IllegalStateException("no process has told of file " + number);
      }
      joined.add(share.files().get(number).toString(), ends);
    }
    return joined.result(Duration.ofNanos(System.nanoTime() - started));
  }

  /// The sums over files, and the order where one ends and the next one begins.
  private final class Joined {
    private LineOrder rows = order;
    private byte @Nullable [] header;
    private byte @Nullable [] last;
    private long lines;
    private long bytes;
    private long duplicates;
    private long unordered;
    private LineCheckJob.@Nullable Disorder first;

    void add(String name, LineCheckJob.Ends ends) throws SortException {
      byte[] row = ends.header();
      if (order.isCsv() && row != null) {
        byte[] before = header;
        if (before != null && !LineOrder.isSameHeader(row, before)) {
          throw LineInputs.otherHeader(name);
        }
        header = row;
        rows = order.withHeaderOf(row);
      }
      byte[] begin = ends.first();
      if (begin != null) {
        byte[] end = last;
        if (end != null) {
          note(rows.compare(end, begin), name, begin);
        }
        last = ends.last();
      }
      LineCheckJob.Result result = ends.result();
      lines += result.lines();
      bytes += result.bytes();
      duplicates += result.duplicates();
      unordered += result.unordered();
      LineCheckJob.Disorder inside = result.first();
      if (first == null && inside != null) {
        first = new LineCheckJob.Disorder(name, inside.number(), inside.text());
      }
    }

    private void note(int compared, String name, byte[] line) {
      duplicates += compared == 0 ? 1 : 0;
      if (compared > 0 || (compared == 0 && order.isUnique())) {
        unordered++;
        if (first == null) {
          String text = new String(line, StandardCharsets.UTF_8);
          first = new LineCheckJob.Disorder(name, order.isCsv() ? 2 : 1, text);
        }
      }
    }

    LineCheckJob.Result result(Duration elapsed) {
      return new LineCheckJob.Result(lines, bytes, duplicates, unordered, first, elapsed);
    }
  }
}
