package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts in several processes to which something happens.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterSortFaultsTest {
  private static final byte[] OLD = {1, 2, 3};
  private static final int RECORDS = 40_000;

  @TempDir private Path folder;
  @TempDir private Path runs;
  private Path input;
  private Path output;

  @BeforeEach
  void makeInput() throws Exception {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
    GenerateJob.to(input, RECORDS).run();
    Files.write(output, OLD);
  }

  private SortJob job(int processes) {
    return SortJob.of(List.of(input), output).unforced().on(on(processes));
  }

  private Cluster on(int processes) {
    return Cluster.processes(processes).withRuns(runs);
  }

  /// Sorts, and does something when the keys are sampled: before processes are started.
  private SortException failing(Cluster cluster, IoAction meanwhile) throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    SortJob job =
        SortJob.of(List.of(input), output)
            .unforced()
            .on(cluster)
            .progress(
                (phase, done, total) -> {
                  if (phase == Progress.Phase.SAMPLE && !isDone.getAndSet(true)) {
                    meanwhile.run();
                  }
                });
    SortException failure = assertThrows(SortException.class, job::run);
    requireNothingHappened();
    return failure;
  }

  private interface IoAction {
    void act() throws IOException;

    default void run() {
      try {
        act();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void requireNothingHappened() throws IOException {
    assertArrayEquals(OLD, Files.readAllBytes(output));
    requireNothingLeft();
  }

  private void requireNothingLeft() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(
          List.of(),
          files.filter(each -> String.valueOf(each.getFileName()).startsWith(".")).toList());
    }
    assertEquals(List.of(), workers(ProcessHandle.current()).toList());
  }

  /// The processes of runs that a process has started.
  private static Stream<ProcessHandle> workers(ProcessHandle of) {
    return of.children()
        .filter(each -> each.info().commandLine().orElse("").contains("cluster.run.Main"));
  }

  @Test
  void anInputThatVanishesIsNamed() throws Exception {
    SortException failure = failing(Cluster.threads(), () -> Files.delete(input));
    assertEquals(SortException.Kind.INPUT, failure.kind(), failure::toString);
    assertTrue(failure.getMessage().contains(input + " does not exist"), failure.getMessage());
  }

  @Test
  void anInputThatIsWrittenToIsNamed() throws Exception {
    FileTime before = Files.getLastModifiedTime(input);
    SortException failure =
        failing(
            Cluster.threads(),
            () -> {
              Files.write(input, new byte[100], StandardOpenOption.WRITE);
              Path _ = Files.setLastModifiedTime(input, FileTime.fromMillis(before.toMillis() + 5));
            });
    assertEquals(SortException.Kind.DATA, failure.kind(), failure::toString);
    assertTrue(failure.getMessage().startsWith(input + " was written to"), failure.getMessage());
  }

  @Test
  @Slow("starts processes")
  void whatFailsInAProcessKeepsItsKindAndMessage() throws Exception {
    SortException failure = failing(on(2), () -> Files.delete(input));
    assertEquals(SortException.Kind.INPUT, failure.kind(), failure::toString);
    assertTrue(failure.getMessage().startsWith(input + " does not exist"), failure.getMessage());
  }

  @Test
  @Slow("starts processes")
  void aFullDiskIsNamed() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(folder, 2 << 20)) {
      Path small = disk.folder().resolve("sorted");
      SortJob job = SortJob.of(List.of(input), small).unforced().on(on(2));
      SortException failure = assertThrows(SortException.class, job::run);
      assertEquals(SortException.Kind.DISK_FULL, failure.kind(), failure::toString);
      try (Stream<Path> files = Files.list(disk.folder())) {
        assertEquals(List.of(), files.toList());
      }
    }
  }

  /// The output has room, as the process that starts the sort makes sure, and the parts that the
  /// sorters write have not.
  @Test
  @Slow("starts processes")
  void aDiskThatIsFullInAProcessIsNamed() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(folder, 2 << 20)) {
      Path small = disk.folder().resolve("parts");
      SortJob job = SortJob.of(List.of(input), small).unforced().partitioned().on(on(2));
      SortException failure = assertThrows(SortException.class, job::run);
      assertEquals(SortException.Kind.DISK_FULL, failure.kind(), failure::toString);
      assertTrue(failure.getMessage().contains("part-000"), failure.getMessage());
      try (Stream<Path> files = Files.list(disk.folder())) {
        assertEquals(List.of(), files.toList());
      }
    }
  }

  /// Stops and continues one of two processes at each report of the progress, so that it has half
  /// of the time. Its sorters get as many records as those of the other: the sort takes longer.
  @Test
  @Slow("starts processes")
  void aSlowProcessDelaysTheSort() throws Exception {
    GenerateJob.to(input, 5L * RECORDS).run();
    AtomicBoolean isStopped = new AtomicBoolean();
    SortJob job =
        job(2)
            .progress(
                (phase, done, total) -> {
                  if (phase == Progress.Phase.PARTITION && done > 0) {
                    boolean stops = !isStopped.getAndSet(!isStopped.get());
                    signal(stops ? "-STOP" : "-CONT");
                  } else if (isStopped.getAndSet(false)) {
                    signal("-CONT");
                  }
                });
    requireEndOf(job, 5L * RECORDS, 2, "slow");
  }

  /// Sends a signal to the second process, which does not deal the input.
  private static void signal(String name) {
    workers(ProcessHandle.current())
        .filter(each -> each.info().commandLine().orElse("").endsWith(" 1"))
        .forEach(each -> Command.of("kill", name, String.valueOf(each.pid())).output());
  }

  /// Kills one process: as soon as it is there, when records have been partitioned, and when some
  /// have been sorted. A process that has ended before is killed in vain.
  @Test
  @Slow("starts and kills processes")
  void theDeathOfAProcessFailsTheSortOrLetsItBeginAgain() throws Exception {
    GenerateJob.to(input, 20L * RECORDS).run();
    for (int attempts = 1; attempts <= 2; attempts++) {
      for (Progress.Phase phase :
          List.of(Progress.Phase.SAMPLE, Progress.Phase.PARTITION, Progress.Phase.SORT)) {
        AtomicBoolean isKilled = new AtomicBoolean();
        SortJob job =
            job(2)
                .on(on(2).withAttempts(attempts))
                .progress(
                    (now, done, total) -> {
                      boolean isTime = phase == Progress.Phase.SAMPLE || (now == phase && done > 0);
                      if (isTime && !isKilled.get()) {
                        workers(ProcessHandle.current())
                            .findFirst()
                            .ifPresent(each -> isKilled.set(each.destroyForcibly()));
                      }
                    });
        requireEndOf(
            job, 20L * RECORDS, attempts, "attempts %d, killed in %s".formatted(attempts, phase));
      }
    }
  }

  private void requireEndOf(SortJob job, long records, int attempts, String what) throws Exception {
    Files.write(output, OLD);
    try {
      assertEquals(records, job.run().keptRecords(), what);
      CheckSummary found = CheckJob.of(List.of(output)).run().summary();
      assertTrue(found.isOrdered(), what);
      assertEquals(CheckJob.of(List.of(input)).run().summary().checksum(), found.checksum(), what);
      requireNothingLeft();
    } catch (SortException e) {
      assertEquals(1, attempts, what + ": " + e);
      assertEquals(SortException.Kind.IO, e.kind(), what + ": " + e);
      assertTrue(e.getMessage().contains("signal 9"), what + ": " + e);
      requireNothingHappened();
    }
  }

  @Test
  @Slow("starts and kills processes")
  void theDeathOfTheStarterEndsAllAndTheNextSortDeletesWhatIsLeft() throws Exception {
    GenerateJob.to(input, 20L * RECORDS).run();
    List<ProcessHandle> workers;
    try (Child starter =
        Jvm.of(ClusterSortFaultsTest.class)
            .command(input.toString(), output.toString(), runs.toString())
            .start()) {
      Wait.until("workers run", () -> workers(starter.handle()).count() == 2);
      workers = workers(starter.handle()).toList();
      starter.kill();
    }
    for (ProcessHandle worker : workers) {
      Wait.until("worker has ended", () -> !worker.isAlive());
    }
    assertArrayEquals(OLD, Files.readAllBytes(output));
    SortJob.Result _ = SortJob.of(List.of(input), output).unforced().run();
    requireNothingLeft();
    assertFalse(Files.size(output) == OLD.length);
  }

  /// Sorts on two processes.
  public static void main(String[] arguments) throws Exception {
    SortJob.Result _ =
        SortJob.of(List.of(Path.of(arguments[0])), Path.of(arguments[1]))
            .on(Cluster.processes(2).withRuns(Path.of(arguments[2])))
            .run();
  }
}
