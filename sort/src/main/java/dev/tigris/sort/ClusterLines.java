package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A sort of lines in other processes, which this one starts and watches. It has opened the inputs
/// and chosen the splitters. The others write their ranges of one file, and tell how much they have
/// read and written, with checksums. This process compares these before the output gets its name.
final class ClusterLines {
  /// Text takes the processor longer than records, whose limit is higher.
  private static final long SHORT_BYTES = 32L << 20;

  private final Cluster cluster;
  private final Path output;
  private final LineRun whole;
  private final Progress progress;

  /// @param output what the result is to become, for people
  /// @param whole takes what was done
  ClusterLines(Cluster cluster, Path output, LineRun whole, Progress progress) {
    this.cluster = cluster;
    this.output = output;
    this.whole = whole;
    this.progress = progress;
  }

  /// The result.
  ///
  /// @param writtenBytes how many bytes the file has
  /// @param processes what each process did
  record Sorted(long writtenBytes, List<SortJob.ProcessResult> processes) {}

  /// Sorts into a file, which has the bytes of all sorted lines in the end.
  ///
  /// @param path where the file lies
  Sorted sort(TemporaryFolder folder, Path path) throws SortException, InterruptedException {
    Map<String, Long> told =
        new SortProcesses(
                SortProcesses.compiling(cluster, whole.inputBytes(), SHORT_BYTES),
                LineSortProgram.class,
                output)
            .run(
                folder,
                SharedLines.of(whole, folder.path(), path).text(),
                whole.inputBytes(),
                progress)
            .numbers();
    whole.inputs().requireUnchanged();
    List<SortJob.ProcessResult> processes = SortProcesses.results(told, cluster.workers());
    whole.take(
        new LineRun.Totals(
            told.getOrDefault(LineToldRun.LINES, 0L),
            told.getOrDefault(LineToldRun.KEPT, 0L),
            LineToldRun.checksum(told, LineToldRun.READ),
            LineToldRun.checksum(told, LineToldRun.WRITTEN),
            SortProcesses.spilledBytes(processes),
            SortProcesses.peakBytes(processes)));
    requireRead(processes.stream().mapToLong(SortJob.ProcessResult::readBytes).sum());
    whole.requireWhole();
    // Opened again, since a host sees what others have written when it opens a file.
    try (OutputFile file = new OutputFile(path)) {
      long end = closeGaps(told, file);
      file.truncate(end);
      return new Sorted(end, processes);
    }
  }

  /// Where lines are left out, their number does not tell whether all were read.
  private void requireRead(long bytes) throws SortException {
    if (bytes != whole.inputBytes()) {
      throw new SortException(
          SortException.Kind.DATA,
          "the processes have read %d of %d bytes: nothing was written under the output's name"
              .formatted(bytes, whole.inputBytes()));
    }
  }

  /// Closes the gaps that lines left out have left, and returns where the last line ends. Where
  /// none was left out, there may be no gap.
  private long closeGaps(Map<String, Long> told, OutputFile file) throws SortException {
    long end = 0;
    for (int sorter = 0; sorter < whole.plan().processors() * cluster.workers(); sorter++) {
      long from = told.getOrDefault(ProcessRun.START + sorter, 0L);
      long bytes = told.getOrDefault(ProcessRun.LENGTH + sorter, 0L);
      if (bytes == 0) {
        continue;
      }
      if (from < end || (from > end && !whole.order().isUnique())) {
        throw new SortException(
            SortException.Kind.DATA,
            "the lines of a process begin at byte %d of the output, and those before end at byte %d: nothing was written under the output's name"
                .formatted(from, end));
      }
      file.move(from, end, bytes);
      end += bytes;
    }
    return end;
  }
}
