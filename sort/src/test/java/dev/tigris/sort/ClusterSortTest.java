package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts in several processes, against those in one.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterSortTest {
  private static final long MEGABYTE = 1 << 20;

  @TempDir private Path folder;
  @TempDir private Path runs;
  private Path input;
  private Path output;

  @BeforeEach
  void nameFiles() {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
  }

  @AfterEach
  void nothingIsLeftButTheOutput() throws Exception {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertFalse(String.valueOf(file.getFileName()).startsWith("."), "left behind: " + file);
      }
    }
  }

  private Cluster processes(int count) {
    return Cluster.processes(count).withRuns(runs);
  }

  private SortJob job(int processes) {
    return SortJob.of(List.of(input), output).unforced().on(processes(processes));
  }

  @Test
  void twoProcessesSortAsOneDoes() throws Exception {
    RecordFormat format = RecordFormat.GENSORT;
    byte[] records = Records.make(format, 60_000, Records.Keys.RANDOM, 1);
    Files.write(input, records);
    SortJob.Result result = job(2).run();
    assertArrayEquals(Records.sorted(records, format), sorted(format));
    assertEquals(60_000, result.keptRecords());
    assertEquals(2, result.processes().size());
    for (SortJob.ProcessResult each : result.processes()) {
      assertTrue(each.sortedBytes() > records.length / 3, result::toString);
      assertTrue(each.peakMemoryBytes() > 0, result::toString);
    }
    assertEquals(
        records.length,
        result.processes().stream().mapToLong(SortJob.ProcessResult::readBytes).sum());
  }

  private byte[] sorted(RecordFormat format) throws Exception {
    return Records.withEqualKeysInOrder(Files.readAllBytes(output), format);
  }

  private static Records.Keys pick(Random random, Records.Keys... all) {
    return all[random.nextInt(all.length)];
  }

  /// Sizes, keys, memory and processes at random.
  @Test
  @Slow("starts some processes for each case")
  void anyRecordsAreSortedAsByOneProcess() throws Exception {
    int cases = Tier.choose(10, 200);
    for (int seed = 1; seed <= cases; seed++) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(200);
      int keySize = 1 + random.nextInt(Math.min(size, 30));
      RecordFormat format = new RecordFormat(size, random.nextInt(size - keySize + 1), keySize);
      int count = (int) Math.pow(10, 5.3 * random.nextDouble()) - 1;
      Records.Keys keys = pick(random, Records.Keys.values());
      byte[] records = Records.make(format, count, keys, seed);
      Files.write(input, records);
      int processes = 1 + random.nextInt(4);
      SortJob job =
          job(processes)
              .format(format)
              .memory((4 + random.nextInt(60)) * MEGABYTE)
              .parallel(1 + random.nextInt(6));
      String what =
          "seed %d: %d of %s, %s, %d processes".formatted(seed, count, format, keys, processes);
      SortJob.Result result;
      try {
        result = job.run();
      } catch (SortException e) {
        throw new AssertionError(what, e);
      }
      assertArrayEquals(Records.sorted(records, format), sorted(format), what);
      assertEquals(count, result.records(), what);
    }
  }
}
