package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RemoteException;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/// A sort in other processes, which this one starts and watches. It has opened the inputs, chosen
/// the splitters and made the output file. The others write into that file, or make partitions
/// beside it, and tell how much they have read and written, with checksums. This process compares
/// these, as in a sort of its own, before the output gets its name.
final class ClusterSort {
  private static final Duration SLICE = Duration.ofMillis(100);
  private static final String PLAN = "plan";

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
    Path plan = folder.resolve(PLAN);
    try {
      Files.writeString(plan, SharedSort.of(whole, folder.path()).text());
    } catch (IOException e) {
      throw SortException.writing(plan, e);
    }
    long started = System.nanoTime();
    long startedMicros = ProcessRun.micros();
    Map<String, Long> told = told(plan).numbers();
    whole.inputs().requireUnchanged();
    long micros = told.getOrDefault(ProcessRun.PARTITIONED_MICROS, startedMicros) - startedMicros;
    long partitioned =
        Math.clamp(started + TimeUnit.MICROSECONDS.toNanos(micros), started, System.nanoTime());
    List<SortJob.ProcessResult> processes = processes(told);
    whole.take(totals(told, processes, partitioned));
    return processes;
  }

  private Results told(Path plan) throws SortException, InterruptedException {
    ClusterRun run;
    try {
      run = cluster.start(SortProgram.class, output.toString(), plan.toString());
    } catch (RunException e) {
      throw failure(e);
    }
    try {
      while (!run.await(SLICE)) {
        report(run);
      }
      return run.await();
    } catch (RunException e) {
      throw failure(e);
    } catch (CancellationException e) {
      throw new InterruptedException("the sort was stopped");
    } catch (InterruptedException e) {
      run.cancel();
      awaitEnd(run);
      throw e;
    }
  }

  private void report(ClusterRun run) {
    Map<String, Long> now = run.progress().results().numbers();
    long read = sum(now, ProcessRun.READ_BYTES);
    long sorted = sum(now, ProcessRun.SORTED_BYTES);
    long all = whole.inputs().bytes();
    if (sorted > 0) {
      progress.report(Progress.Phase.SORT, sorted, all);
    } else {
      progress.report(Progress.Phase.PARTITION, read, all);
    }
  }

  private long sum(Map<String, Long> told, String name) {
    long sum = 0;
    for (int process = 0; process < cluster.workers(); process++) {
      sum += told.getOrDefault(name + process, 0L);
    }
    return sum;
  }

  /// The files may be deleted only when no process uses them any more.
  private static void awaitEnd(ClusterRun run) {
    boolean interrupted = false;
    while (!run.isDone()) {
      try {
        Results _ = run.await();
      } catch (RunException | CancellationException e) {
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static SortException failure(RunException e) {
    String name = ToldException.class.getName();
    return switch (e.getCause()) {
      case ToldException told -> ToldException.carried(String.valueOf(told.getMessage()), e);
      case RemoteException told when told.className().equals(name) ->
          ToldException.carried(String.valueOf(told.getMessage()).substring(name.length() + 2), e);
      case null, default ->
          new SortException(
              e.kind() == RunException.Kind.OUTPUT
                  ? SortException.Kind.OUTPUT
                  : SortException.Kind.IO,
              String.valueOf(e.getMessage()),
              e);
    };
  }

  private List<SortJob.ProcessResult> processes(Map<String, Long> told) {
    List<SortJob.ProcessResult> all = new ArrayList<>();
    for (int process = 0; process < cluster.workers(); process++) {
      all.add(
          new SortJob.ProcessResult(
              process,
              told.getOrDefault(ProcessRun.READ_BYTES + process, 0L),
              told.getOrDefault(ProcessRun.SORTED_BYTES + process, 0L),
              told.getOrDefault(ProcessRun.SPILLED_BYTES + process, 0L),
              told.getOrDefault(ProcessRun.PEAK_BYTES + process, 0L)));
    }
    return all;
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
        processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum(),
        processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0),
        partitionedNanos,
        from,
        bytes);
  }

  /// Returns the sum whose parts of 32 bits were summed each.
  private static UInt128 checksum(Map<String, Long> told, String name) {
    UInt128 sum = UInt128.ZERO;
    UInt128 place = UInt128.of(1);
    for (int part = 0; part < ProcessRun.SUM_PARTS; part++) {
      sum = sum.plus(place.times(UInt128.of(told.getOrDefault(name + part, 0L))));
      place = place.times(UInt128.of(1L << Integer.SIZE));
    }
    return sum;
  }
}
