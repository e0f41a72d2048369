package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

class SortJobTest {
  private static final long MEGABYTE = 1 << 20;

  private Path folder;
  private Path input;
  private Path output;

  @BeforeTry
  void makeFolder() throws Exception {
    folder = Files.createTempDirectory("tigris-sort");
    input = folder.resolve("input");
    output = folder.resolve("sorted");
  }

  @AfterTry
  void nothingIsLeftButTheOutput() throws Exception {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertFalse(String.valueOf(file.getFileName()).startsWith("."), "left behind: " + file);
      }
    }
    Records.deleteTree(folder);
  }

  @Property(tries = 30)
  void sortsAnyRecordsLikeAReference(
      @ForAll @IntRange(min = 1, max = 30) int keySize,
      @ForAll @IntRange(min = 0, max = 20) int keyOffset,
      @ForAll @IntRange(min = 0, max = 150) int rest,
      @ForAll @IntRange(min = 0, max = 20_000) int count,
      @ForAll @IntRange(min = 1, max = 3) int parallel,
      @ForAll boolean isPartitioned,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    RecordFormat format = new RecordFormat(keyOffset + keySize + rest, keyOffset, keySize);
    byte[] records = Records.make(format, count, keys, seed);
    int cut = count / 3 * format.recordSize();
    Files.write(input, Arrays.copyOf(records, cut));
    Path second = folder.resolve("second");
    Files.write(second, Arrays.copyOfRange(records, cut, records.length));

    SortJob job =
        SortJob.of(List.of(input, second), output)
            .format(format)
            .parallel(parallel)
            .memory(256 * MEGABYTE)
            .unforced();
    SortJob.Result result = (isPartitioned ? job.partitioned() : job).run();
    assertSorted(records, format, result);
  }

  @Property(tries = 12)
  void sortsWhatDoesNotFitTheMemory(
      @ForAll @IntRange(min = 1, max = 20) int keySize,
      @ForAll @IntRange(min = 0, max = 80) int rest,
      @ForAll @IntRange(min = 1, max = 2) int parallel,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    RecordFormat format = new RecordFormat(keySize + rest, 0, keySize);
    int count = (int) (8 * MEGABYTE) / format.recordSize();
    byte[] records = Records.make(format, Math.min(count, 120_000), keys, seed);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).format(format).parallel(parallel).unforced();
    SortJob.Result result = job.memory(leastMemory(job) + MEGABYTE).run();
    assertSorted(records, format, result);
  }

  @Example
  void spillsWhatDoesNotFitTheMemory() throws Exception {
    byte[] records = Records.make(RecordFormat.GENSORT, 400_000, Records.Keys.RANDOM, 1);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).parallel(2);
    SortJob.Result result = job.memory(leastMemory(job)).run();
    assertEquals(2, result.passes());
    assertTrue(result.spilledBytes() > 0);
    assertSorted(records, RecordFormat.GENSORT, result);
  }

  @Property(tries = 1, edgeCases = EdgeCasesMode.NONE)
  @Slow("the quick tier has so much of random keys")
  void sortsTwentyTimesItsMemory(@ForAll Records.Keys keys, @ForAll long seed) throws Exception {
    byte[] records = Records.make(RecordFormat.GENSORT, 600_000, keys, seed);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).parallel(1).unforced();
    assertSorted(records, RecordFormat.GENSORT, job.memory(leastMemory(job)).run());
  }

  @Example
  void distributesBucketsThatAreMuchTooLargeToLoad() throws Exception {
    byte[] records = Records.make(RecordFormat.GENSORT, 600_000, Records.Keys.RANDOM, 5);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).parallel(1).unforced();
    SortJob.Result result = job.memory(leastMemory(job)).run();
    assertTrue(result.spilledBytes() > records.length * 5L / 4, result.toString());
    assertSorted(records, RecordFormat.GENSORT, result);
  }

  @Example
  void sortsABucketThatTheSampleDidNotForesee() throws Exception {
    // Nearly all records have keys from a narrow range that the sample sees as one key's.
    RecordFormat format = new RecordFormat(100, 0, 100);
    byte[] records = Records.make(format, 120_000, Records.Keys.EQUAL, 3);
    for (int i = 0; i < 120_000; i++) {
      records[100 * i + 99] = (byte) (i * 31);
      records[100 * i + 90] = (byte) (i * 17);
    }
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).format(format).parallel(1);
    assertSorted(records, format, job.memory(leastMemory(job)).run());
    Files.delete(output);
    assertSorted(records, format, job.memory(256 * MEGABYTE).run());
  }

  /// Around the sizes of what records are gathered, partitioned, read and checked in.
  @Property(edgeCases = EdgeCasesMode.NONE)
  @EveryTier("tries: 6, 40, 5,000")
  void sortsLargeRecordsLikeAReference(
      @ForAll("largeSizes") int recordSize,
      @ForAll @DoubleRange(min = 0, max = 1) double keyFrom,
      @ForAll @DoubleRange(min = 0, max = 1) double keyTo,
      @ForAll @IntRange(min = 1, max = 3) int parallel,
      @ForAll @DoubleRange(min = 0, max = 3) double times,
      @ForAll boolean isPartitioned,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    int keyOffset = (int) (keyFrom * (recordSize - 1));
    int keySize = 1 + (int) (keyTo * (recordSize - keyOffset - 1));
    RecordFormat format = new RecordFormat(recordSize, keyOffset, keySize);
    int count = Math.max(3, (int) (6 * MEGABYTE) / recordSize);
    byte[] records = Records.make(format, count, keys, seed);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).format(format).parallel(parallel).unforced();
    job = job.memory((long) (leastMemory(job) * (1 + times)));
    SortJob.Result result = (isPartitioned ? job.partitioned() : job).run();
    assertSorted(records, format, result);
    assertChecked(format, result);
  }

  @Provide
  Arbitrary<Integer> largeSizes() {
    List<Integer> edges =
        List.of(16 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20, 2_000_000, 2 << 20, 5 << 20);
    Arbitrary<Integer> around = Arbitraries.of(edges);
    return around.flatMap(edge -> Arbitraries.integers().between(edge - 100, edge + 1));
  }

  @Example
  void dividesABucketOfLargeRecordsWithoutCopyingThem() throws Exception {
    RecordFormat format = new RecordFormat(300_001, 200_000, 90_000);
    byte[] records = Records.make(format, 60, Records.Keys.LONG_COMMON_PREFIX, 4);
    Files.write(input, records);
    SortJob job = SortJob.of(List.of(input), output).format(format).parallel(1);
    assertSorted(records, format, job.run());
    Files.delete(output);
    SortJob.Result result = job.memory(leastMemory(job)).run();
    assertEquals(2, result.passes());
    assertTrue(result.spilledBytes() < records.length * 11L / 10, result.toString());
    assertSorted(records, format, result);
    assertChecked(format, result);
  }

  @Example
  void sortsTheKnownRecords() throws Exception {
    GenerateJob.to(input, 100_000).run();
    SortJob.Result result = SortJob.of(List.of(input), output).run();
    CheckSummary summary = CheckJob.of(List.of(output)).run().summary();
    assertTrue(summary.isOrdered());
    assertEquals(summary.checksum(), result.checksum());
    assertEquals(100_000, result.records());
    assertEquals(1, result.passes());
  }

  @Example
  void sortsSkewedRecords() throws Exception {
    GenerateJob.to(input, 200_000).skewed().run();
    SortJob job = SortJob.of(List.of(input), output);
    job.memory(leastMemory(job)).run();
    CheckSummary sorted = CheckJob.of(List.of(output)).run().summary();
    assertTrue(sorted.isOrdered());
    CheckSummary given = CheckJob.of(List.of(input)).run().summary();
    assertEquals(given.records(), sorted.records());
    assertEquals(given.checksum(), sorted.checksum());
  }

  @Example
  void noRecordsSortToAnEmptyFile() throws Exception {
    Files.createFile(input);
    assertEquals(0, SortJob.of(List.of(input), output).run().records());
    assertEquals(0, Files.size(output));
  }

  @Example
  void oneRecordSortsToItself() throws Exception {
    GenerateJob.to(input, 1).run();
    SortJob.of(List.of(input), output).run();
    assertArrayEquals(Files.readAllBytes(input), Files.readAllBytes(output));
  }

  @Example
  void replacesAnOlderOutput() throws Exception {
    GenerateJob.to(input, 1_000).run();
    Files.writeString(output, "older");
    SortJob.of(List.of(input), output).run();
    assertEquals(100_000, Files.size(output));
  }

  @Example
  void saysHowMuchMemoryIsNeeded() throws Exception {
    GenerateJob.to(input, 1_000).run();
    SortJob job = SortJob.of(List.of(input), output).memory(1_000);
    SortException refused = assertThrows(SortException.class, job::run);
    assertEquals(SortException.Kind.MEMORY, refused.kind());
    job.memory(leastMemory(job)).run();
    assertTrue(Files.exists(output));
  }

  @Example
  void usesFewerThreadsWhereTheMemoryIsNotEnoughForAll() throws Exception {
    GenerateJob.to(input, 10_000).run();
    SortJob.of(List.of(input), output).memory(64 << 20).parallel(256).run();
    assertEquals(1_000_000, Files.size(output));
  }

  @Example
  void needsNoMoreMemoryToScanABucketOften() throws Exception {
    GenerateJob.to(input, 300_000).run();
    SortJob job = SortJob.of(List.of(input), output).parallel(2);
    long memory = 8 << 20; // each of some thirty buckets is scanned some ten times
    SortJob.Result result = job.memory(memory).run();
    assertTrue(result.peakMemoryBytes() < 2 * memory, result.toString());
  }

  @Example
  void reportsProgressUpToTheTotal() throws Exception {
    GenerateJob.to(input, 50_000).run();
    Map<Progress.Phase, Long> most = new LinkedHashMap<>();
    SortJob.of(List.of(input), output)
        .progress(
            (phase, done, total) -> {
              assertTrue(done <= total);
              assertEquals(5_000_000, total, phase::toString); // bytes, of whatever phase
              synchronized (most) {
                most.merge(phase, done, Math::max);
              }
            })
        .run();
    assertEquals(
        List.of(
            Progress.Phase.SAMPLE,
            Progress.Phase.PARTITION,
            Progress.Phase.SORT,
            Progress.Phase.SYNC),
        List.copyOf(most.keySet()));
    assertEquals(5_000_000, most.get(Progress.Phase.PARTITION));
    assertEquals(5_000_000, most.get(Progress.Phase.SORT));
  }

  /// What the refusal of too small a memory asks for.
  static long leastMemory(SortJob job) {
    SortException refused = assertThrows(SortException.class, job.memory(1)::run);
    Matcher needed = Pattern.compile(": (\\d+) bytes are enough").matcher(refused.getMessage());
    assertTrue(needed.find(), refused.getMessage());
    return Long.parseLong(needed.group(1));
  }

  /// The checker finds the records of one file, or of all partitions, in order.
  private void assertChecked(RecordFormat format, SortJob.Result result) throws Exception {
    List<Path> files = List.of(output);
    if (Files.isDirectory(output)) {
      try (var parts = Files.list(output)) {
        files = parts.sorted().toList();
      }
    }
    CheckSummary summary = CheckJob.of(files).format(format).run().summary();
    assertTrue(summary.isOrdered(), summary.verdict().toString());
    assertEquals(UInt128.of(result.records()), summary.records());
    assertEquals(result.checksum(), summary.checksum());
  }

  private void assertSorted(byte[] records, RecordFormat format, SortJob.Result result)
      throws Exception {
    assertEquals(records.length, result.bytes());
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    if (Files.isDirectory(output)) {
      try (var parts = Files.list(output)) {
        for (Path part : parts.sorted().toList()) {
          written.writeBytes(Files.readAllBytes(part));
        }
      }
    } else {
      written.writeBytes(Files.readAllBytes(output));
    }
    assertArrayEquals(
        Records.sorted(records, format),
        Records.withEqualKeysInOrder(written.toByteArray(), format));
  }
}
