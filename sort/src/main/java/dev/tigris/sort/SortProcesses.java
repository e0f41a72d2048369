package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.RemoteException;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// The processes of a sort, of records or of lines, which this one starts and waits for.
final class SortProcesses {
  private static final String PLAN = "plan";
  private static final Duration SLICE = Duration.ofMillis(100);

  private final Cluster cluster;
  private final Class<? extends FlowProgram> program;
  private final Path output;

  /// @param program whose flow they run
  /// @param output what the result is to become, for people
  SortProcesses(Cluster cluster, Class<? extends FlowProgram> program, Path output) {
    this.cluster = cluster;
    this.program = program;
    this.output = output;
  }

  /// Returns a cluster whose processes do without the optimizing compiler if each has so little of
  /// the input that its code would come too late: it takes the processors that the sort needs.
  ///
  /// @param shortBytes how little that is
  static Cluster compiling(Cluster cluster, long bytes, long shortBytes) {
    return bytes / cluster.workers() > shortBytes
        ? cluster
        : cluster.withJvmOptions(List.of("-XX:TieredStopAtLevel=1"));
  }

  /// Returns how many processes are on the host that has the most.
  static int onOneHost(Cluster cluster) {
    List<String> hosts = cluster.hosts();
    return hosts.stream()
        .mapToInt(host -> Collections.frequency(hosts, host))
        .max()
        .orElse(cluster.workers());
  }

  /// Lets the processes write a file that this one has made. Of a disk that several hosts share,
  /// what is still in this one's memory could come there later, over what others have written.
  static void handOver(@Nullable Cluster cluster, OutputFile file) throws SortException {
    if (cluster != null && (!cluster.hosts().isEmpty() || cluster.engine().isPresent())) {
      file.force();
    }
  }

  /// Makes a folder for the plan of processes whose outputs are on other hosts.
  static TemporaryFolder elsewhere() throws SortException {
    return new TemporaryFolder(Path.of(System.getProperty("java.io.tmpdir"), "tigris-hosts"));
  }

  /// Asks the hosts of a sort.
  static Results ask(Cluster cluster, HostSurvey.Question question, TemporaryFolder plans)
      throws SortException, InterruptedException {
    return new SortProcesses(cluster, HostSurveyProgram.class, question.folder())
        .run(plans, question.text(), 0, Progress.NONE);
  }

  /// Deletes the folder for the parts where it was made for a sort that has failed. Where a host is
  /// lost, it stays.
  static void tidy(
      Cluster cluster, HostTidyProgram.Plan plan, TemporaryFolder plans, SortException failure)
      throws InterruptedException {
    if (plan.processes().isEmpty()) {
      return;
    }
    try {
      Results _ =
          new SortProcesses(cluster.withAttempts(1), HostTidyProgram.class, plan.folder())
              .run(plans, plan.text(), 0, Progress.NONE);
    } catch (SortException e) {
      failure.addSuppressed(e);
    }
  }

  /// Runs the program, and returns what its modules tell.
  ///
  /// @param text what all processes have to know, which a file in the folder gets
  /// @param bytes how many are to be sorted
  Results run(TemporaryFolder folder, String text, long bytes, Progress progress)
      throws SortException, InterruptedException {
    Path plan = folder.resolve(PLAN);
    try {
      Files.writeString(plan, text);
    } catch (IOException e) {
      throw SortException.writing(plan, e);
    }
    ClusterRun run;
    try {
      run = cluster.start(program, output.toString(), plan.toString());
    } catch (RunException e) {
      throw failure(e);
    }
    try {
      while (!run.await(SLICE)) {
        report(run.progress().results().numbers(), bytes, progress);
      }
      return run.await();
    } catch (RunException e) {
      throw failure(e);
    } catch (CancellationException e) {
      throw new InterruptedException("the sort was stopped");
    } catch (InterruptedException e) {
      run.cancelAndAwait();
      throw e;
    }
  }

  private void report(Map<String, Long> now, long bytes, Progress progress) {
    long sorted = sum(now, ProcessRun.SORTED_BYTES);
    if (sorted > 0) {
      progress.report(Progress.Phase.SORT, Math.min(sorted, bytes), bytes);
    } else {
      progress.report(Progress.Phase.PARTITION, sum(now, ProcessRun.READ_BYTES), bytes);
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

  /// Returns the sum of what each process tells under a name and its number.
  private long sum(Map<String, Long> told, String name) {
    long sum = 0;
    for (int process = 0; process < cluster.workers(); process++) {
      sum += told.getOrDefault(name + process, 0L);
    }
    return sum;
  }

  /// Returns how much several processes have spilled.
  static long spilledBytes(List<SortJob.ProcessResult> processes) {
    return processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum();
  }

  /// Returns the most that the buffers of any process held.
  static long peakBytes(List<SortJob.ProcessResult> processes) {
    return processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0);
  }

  /// Returns what each process did.
  static List<SortJob.ProcessResult> results(Map<String, Long> told, int processes) {
    List<SortJob.ProcessResult> all = new ArrayList<>();
    for (int process = 0; process < processes; process++) {
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
}
