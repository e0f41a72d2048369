package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A sort in other processes, which this one starts and watches. It has opened the inputs, chosen
/// the splitters and made the output file. The others write into that file, or make partitions
/// beside it, and tell how much they have read and written, with checksums. This process compares
/// these, as in a sort of its own, before the output gets its name.
final class ClusterSort {
  /// A process with no more than this is done before the optimizing compiler's code pays.
  private static final long SHORT_BYTES = 512L << 20;

  private final Cluster cluster;
  private final Path output;
  private final SortRun whole;
  private final Progress progress;

  /// @param output what the result is to become, for people
  /// @param whole takes what was done
  ClusterSort(Cluster cluster, Path output, SortRun whole, Progress progress) {
    this.cluster = cluster;
    this.output = output;
    this.whole = whole;
    this.progress = progress;
  }

  /// Sorts, and returns what each process did.
  List<SortJob.ProcessResult> sort(TemporaryFolder folder)
      throws SortException, InterruptedException {
    long started = System.nanoTime();
    long startedMicros = ProcessRun.micros();
    Map<String, Long> told =
        new SortProcesses(
                SortProcesses.compiling(cluster, whole.inputs().bytes(), SHORT_BYTES),
                SortProgram.class,
                output)
            .run(
                folder,
                SharedSort.of(whole, folder.path()).text(),
                whole.inputs().bytes(),
                progress)
            .numbers();
    whole.inputs().requireUnchanged();
    long micros = told.getOrDefault(ProcessRun.PARTITIONED_MICROS, startedMicros) - startedMicros;
    long partitioned =
        Math.clamp(started + TimeUnit.MICROSECONDS.toNanos(micros), started, System.nanoTime());
    List<SortJob.ProcessResult> processes = SortProcesses.results(told, cluster.workers());
    whole.take(totals(told, processes, partitioned));
    return processes;
  }

  private SortRun.Totals totals(
      Map<String, Long> told, List<SortJob.ProcessResult> processes, long partitionedNanos) {
    long[] from = new long[whole.sorters()];
    long[] bytes = new long[whole.sorters()];
    for (int sorter = 0; sorter < from.length; sorter++) {
      from[sorter] = told.getOrDefault(ProcessRun.START + sorter, 0L);
      bytes[sorter] = told.getOrDefault(ProcessRun.LENGTH + sorter, 0L);
    }
    return new SortRun.Totals(
        checksum(told, ProcessRun.READ),
        checksum(told, ProcessRun.WRITTEN),
        processes.stream().mapToLong(SortJob.ProcessResult::sortedBytes).sum(),
        SortProcesses.spilledBytes(processes),
        SortProcesses.peakBytes(processes),
        partitionedNanos,
        from,
        bytes);
  }

  /// Returns the sum whose parts of 32 bits were summed each.
  static UInt128 checksum(Map<String, Long> told, String name) {
    UInt128 sum = UInt128.ZERO;
    UInt128 place = UInt128.of(1);
    for (int part = 0; part < ProcessRun.SUM_PARTS; part++) {
      sum = sum.plus(place.times(UInt128.of(told.getOrDefault(name + part, 0L))));
      place = place.times(UInt128.of(1L << Integer.SIZE));
    }
    return sum;
  }
}
