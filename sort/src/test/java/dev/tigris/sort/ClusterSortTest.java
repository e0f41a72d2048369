package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.io.ByteArrayOutputStream;
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

  @Test
  void twoProcessesReadADataSetByName() throws Exception {
    RecordFormat format = RecordFormat.GENSORT;
    // Ten tasks: of two, one process may do both before the other one has begun.
    byte[] records = Records.make(format, 100_000, Records.Keys.RANDOM, 57);
    Path data = Files.write(folder.resolve("data"), records);
    List<Path> disks = List.of(folder.resolve("disk0"), folder.resolve("disk1"));
    for (Path disk : disks) {
      Files.createDirectory(disk);
    }
    Mirror.copying(data, "data", disks, 64 << 10, 2, warning -> {}).start().await();
    input = disks.getLast().resolve("data.mirror");
    SortJob.Result result = job(2).run();
    assertArrayEquals(Records.sorted(records, format), sorted(format));
    for (SortJob.ProcessResult each : result.processes()) {
      assertTrue(each.readBytes() > 0, result::toString);
    }
  }

  /// In one process of a run, which is this one.
  private SortJob.Result sortHere(RecordFormat format, byte[] records, long memory)
      throws Exception {
    Files.write(input, records);
    SortJob.Result result =
        SortJob.of(List.of(input), output)
            .format(format)
            .memory(memory)
            .unforced()
            .on(Cluster.threads())
            .run();
    assertArrayEquals(Records.sorted(records, format), sorted(format));
    return result;
  }

  @Test
  void fewRecordsAndNoneAreSorted() throws Exception {
    RecordFormat format = new RecordFormat(8, 2, 4);
    for (int count : new int[] {0, 1, 2}) {
      byte[] records = Records.make(format, count, Records.Keys.RANDOM, count);
      assertEquals(count, sortHere(format, records, 64 * MEGABYTE).records());
    }
  }

  @Test
  void whatDoesNotFitTheMemoryOfAProcessIsSpilled() throws Exception {
    for (Records.Keys keys : List.of(Records.Keys.RANDOM, Records.Keys.EQUAL)) {
      byte[] records = Records.make(RecordFormat.GENSORT, 150_000, keys, 2);
      SortJob.Result result = sortHere(RecordFormat.GENSORT, records, 8 * MEGABYTE);
      assertEquals(2, result.passes(), result::toString);
      assertEquals(result.spilledBytes(), result.processes().getFirst().spilledBytes());
    }
  }

  @Test
  void partitionsAndTheFirstOfEqualKeysAreAsThoseOfOneProcess() throws Exception {
    RecordOrder order = RecordOrder.ofRecords(16).key("0:u16le:desc").key("8:i8").unique();
    Files.write(input, Records.make(new RecordFormat(16, 0, 2), 50_000, Records.Keys.RANDOM, 3));
    Path expected = folder.resolve("expected");
    SortJob alone = SortJob.of(List.of(input), expected).order(order).unforced();
    SortJob.Result one = alone.run();
    SortJob job = SortJob.of(List.of(input), output).order(order).unforced().on(Cluster.threads());
    assertEquals(one.keptRecords(), job.run().keptRecords());
    assertArrayEquals(Files.readAllBytes(expected), Files.readAllBytes(output));
    Path parts = folder.resolve("parts");
    SortJob.Result result =
        SortJob.of(List.of(input), parts)
            .order(order)
            .unforced()
            .partitioned()
            .on(Cluster.threads())
            .run();
    try (var files = Files.list(parts)) {
      List<Path> all = files.sorted().toList();
      assertEquals(result.files(), all.size());
      var together = new ByteArrayOutputStream();
      for (Path part : all) {
        together.write(Files.readAllBytes(part));
      }
      assertArrayEquals(Files.readAllBytes(expected), together.toByteArray());
    }
  }

  @Test
  void whatOneProcessHasToWriteIsRefused() {
    Path compressed = folder.resolve("sorted.gz");
    SortJob job = SortJob.of(List.of(input), compressed).on(Cluster.threads());
    SortException refusal = assertThrows(SortException.class, job::run);
    assertEquals(SortException.Kind.OUTPUT, refusal.kind());
    assertTrue(refusal.getMessage().startsWith(compressed + " is compressed"));
  }

  @Test
  @Slow("starts processes")
  void anEmptyInputAndOneOfASingleRecordAreSharedBySeveralProcesses() throws Exception {
    RecordFormat format = RecordFormat.GENSORT;
    Path empty = Files.createFile(folder.resolve("empty"));
    byte[] one = Records.make(format, 1, Records.Keys.RANDOM, 6);
    Files.write(input, one);
    SortJob job = SortJob.of(List.of(empty, input, empty), output).unforced().on(processes(3));
    assertEquals(1, job.run().records());
    assertArrayEquals(one, Files.readAllBytes(output));
  }

  @Test
  @Slow("starts processes")
  void moreProcessesThanRecordsAndUnevenOnesSort() throws Exception {
    RecordFormat format = RecordFormat.GENSORT;
    for (Records.Keys keys : List.of(Records.Keys.EQUAL, Records.Keys.MOSTLY_EQUAL)) {
      byte[] records = Records.make(format, 100_000, keys, 4);
      Files.write(input, records);
      SortJob.Result result = job(2).memory(8 * MEGABYTE).run();
      assertArrayEquals(Records.sorted(records, format), sorted(format));
      assertTrue(result.spilledBytes() > 0, result::toString);
    }
    byte[] few = Records.make(format, 2, Records.Keys.RANDOM, 5);
    Files.write(input, few);
    assertEquals(4, job(4).run().processes().size());
    assertArrayEquals(Records.sorted(few, format), sorted(format));
    Files.write(input, new byte[0]);
    assertEquals(0, job(2).run().records());
    assertEquals(0, Files.size(output));
  }

  private byte[] sorted(RecordFormat format) throws Exception {
    return Records.withEqualKeysInOrder(Files.readAllBytes(output), format);
  }

  private static Records.Keys pick(Random random, Records.Keys... all) {
    return all[random.nextInt(all.length)];
  }

  /// Sizes, keys, memory and processes at random. Of ten cases two are on processes of their own,
  /// and all of many.
  @Test
  @Slow("starts some processes for each case")
  void anyRecordsAreSortedAsByOneProcess() throws Exception {
    int cases = Tier.choose(10, 200);
    int alone = Tier.choose(8, 0);
    for (int seed = 1; seed <= cases; seed++) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(200);
      int keySize = 1 + random.nextInt(Math.min(size, 30));
      RecordFormat format = new RecordFormat(size, random.nextInt(size - keySize + 1), keySize);
      int count = (int) Math.pow(10, 5.3 * random.nextDouble()) - 1;
      Records.Keys keys = pick(random, Records.Keys.values());
      byte[] records = Records.make(format, count, keys, seed);
      Files.write(input, records);
      int processes = seed <= alone ? 0 : 1 + random.nextInt(4);
      SortJob job =
          job(1)
              .on(processes == 0 ? Cluster.threads() : processes(processes))
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
