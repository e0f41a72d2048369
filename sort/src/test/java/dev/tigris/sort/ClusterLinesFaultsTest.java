package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.testing.Slow;
import dev.tigris.testing.host.SmallDisk;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts of lines in several processes to which something happens.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterLinesFaultsTest {
  private static final byte[] OLD = {1, 2, 3};
  private static final LineOrder ORDER = LineOrder.builder().key("2,2n").stable().build();

  @TempDir private Path folder;
  @TempDir private Path runs;
  private Path input;
  private Path output;

  @BeforeEach
  void makeInput() throws IOException {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
    write(120_000);
    Files.write(output, OLD);
  }

  private void write(int lines) throws IOException {
    var random = new Random(lines);
    var text = new StringBuilder();
    for (int line = 0; line < lines; line++) {
      text.append("line ").append(random.nextInt(1000)).append(' ').append(line).append('\n');
    }
    Files.writeString(input, text, StandardCharsets.ISO_8859_1);
  }

  private LineSortJob job(Cluster cluster) {
    return LineSortJob.of(ORDER).input(SortInput.file(input)).unforced().parallel(2).on(cluster);
  }

  private Cluster on(int processes) {
    return Cluster.processes(processes).withRuns(runs);
  }

  private interface IoAction {
    void act() throws IOException;
  }

  /// Does something when lines are sampled: before the flow begins.
  private static LineSortJob meanwhile(LineSortJob job, IoAction action) {
    AtomicBoolean isDone = new AtomicBoolean();
    return job.progress(
        (phase, done, total) -> {
          if (phase == Progress.Phase.SAMPLE && !isDone.getAndSet(true)) {
            try {
              action.act();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
  }

  private void requireNothingHappened() throws IOException {
    assertArrayEquals(OLD, Files.readAllBytes(output));
    requireNothingLeft(folder);
  }

  private static void requireNothingLeft(Path where) throws IOException {
    try (Stream<Path> files = Files.list(where)) {
      assertEquals(
          List.of(),
          files.filter(each -> String.valueOf(each.getFileName()).startsWith(".")).toList());
    }
    assertEquals(0, workers().count());
  }

  /// The processes of runs that this one has started.
  private static Stream<ProcessHandle> workers() {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.info().commandLine().orElse("").contains("cluster.run.Main"));
  }

  @Test
  void anInputThatVanishesOrGrowsIsNamed() throws Exception {
    SortException grown =
        assertThrows(
            SortException.class,
            () ->
                meanwhile(
                        job(Cluster.threads()),
                        () -> Files.writeString(input, "more\n", StandardOpenOption.APPEND))
                    .run(output));
    assertEquals(SortException.Kind.DATA, grown.kind(), grown::toString);
    assertTrue(grown.getMessage().startsWith(input + " was written to"), grown::toString);
    requireNothingHappened();
    SortException gone =
        assertThrows(
            SortException.class,
            () -> meanwhile(job(Cluster.threads()), () -> Files.delete(input)).run(output));
    assertEquals(SortException.Kind.INPUT, gone.kind(), gone::toString);
    assertTrue(gone.getMessage().startsWith(input + " does not exist"), gone::toString);
    requireNothingHappened();
  }

  /// The reader of a pipe goes after some blocks, and the threads that wait for their turn end.
  @Test
  void anOutputThatFailsEndsTheSort() throws Exception {
    write(200_000);
    var broken =
        new OutputStream() {
          @Override
          public void write(int b) {}

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    SortException failure =
        assertThrows(
            SortException.class,
            () -> job(Cluster.threads()).parallel(3).temporary(folder).run(broken));
    assertEquals(SortException.Kind.READER_GONE, failure.kind(), failure::toString);
    requireNothingHappened();
  }

  @Test
  @Slow("mounts a small disk, starts processes")
  void aFullDiskIsNamed() throws Exception {
    write(300_000);
    try (SmallDisk disk = SmallDisk.inMemory(folder, 2 << 20)) {
      Path small = disk.folder().resolve("sorted");
      for (Cluster cluster : List.of(Cluster.threads(), on(2))) {
        SortException failure = assertThrows(SortException.class, () -> job(cluster).run(small));
        assertEquals(SortException.Kind.DISK_FULL, failure.kind(), failure::toString);
        assertTrue(!Files.exists(small));
        requireNothingLeft(disk.folder());
      }
    }
  }

  /// Kills one process: as soon as it is there, when lines have been partitioned, and when some
  /// have been sorted. A process that has ended before is killed in vain.
  @Test
  @Slow("starts and kills processes")
  void theDeathOfAProcessFailsTheSortOrLetsItBeginAgain() throws Exception {
    write(400_000);
    Path expected = folder.resolve("expected");
    LineSortJob.Result _ =
        LineSortJob.of(ORDER).input(SortInput.file(input)).unforced().run(expected);
    for (int attempts = 1; attempts <= 2; attempts++) {
      for (Progress.Phase phase :
          List.of(Progress.Phase.SAMPLE, Progress.Phase.PARTITION, Progress.Phase.SORT)) {
        AtomicBoolean isKilled = new AtomicBoolean();
        LineSortJob job =
            job(on(2).withAttempts(attempts))
                .progress(
                    (now, done, total) -> {
                      boolean isTime = phase == Progress.Phase.SAMPLE || (now == phase && done > 0);
                      if (isTime && !isKilled.get()) {
                        workers()
                            .findFirst()
                            .ifPresent(each -> isKilled.set(each.destroyForcibly()));
                      }
                    });
        Files.write(output, OLD);
        String what = "attempts %d, killed in %s".formatted(attempts, phase);
        try {
          assertEquals(400_000, job.run(output).keptLines(), what);
          assertEquals(-1, Files.mismatch(expected, output), what);
          requireNothingLeft(folder);
        } catch (SortException e) {
          assertEquals(1, attempts, what + ": " + e);
          assertEquals(SortException.Kind.IO, e.kind(), what + ": " + e);
          assertTrue(e.getMessage().contains("signal 9"), what + ": " + e);
          requireNothingHappened();
        }
      }
    }
  }
}
