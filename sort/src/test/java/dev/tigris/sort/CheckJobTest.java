package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

class CheckJobTest {
  private Path folder;

  @BeforeTry
  void makeFolder() throws Exception {
    folder = Files.createTempDirectory("tigris-check");
  }

  @AfterTry
  void deleteFolder() throws Exception {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @Example
  void printsWhatValsortPrintsForDisorder() throws Exception {
    Path input = folder.resolve("input");
    GenerateJob.to(input, 1_000).run();
    CheckSummary summary = CheckJob.of(List.of(input)).run().summary();
    List<String> verdict = summary.verdict();
    assertEquals("First unordered record is record 2", verdict.get(0));
    assertEquals("Records: 1000", verdict.get(1));
    assertEquals("Checksum: 1ea6370b955", verdict.get(2));
    assertTrue(verdict.get(3).matches("ERROR - there are \\d+ unordered records"));
  }

  @Example
  void printsWhatValsortPrintsForOrder() throws Exception {
    Path input = folder.resolve("input");
    byte[] records = new byte[300];
    records[200] = 1;
    Files.write(input, records);
    List<String> verdict = CheckJob.of(List.of(input)).run().summary().verdict();
    assertEquals("Records: 3", verdict.get(0));
    assertEquals("Duplicate keys: 1", verdict.get(2));
    assertEquals("SUCCESS - all records are in order", verdict.get(3));
  }

  @Example
  void findsDisorderBetweenChunks() throws Exception {
    Path input = folder.resolve("input");
    byte[] records = new byte[100 * 50_000];
    for (int i = 0; i < 50_000; i++) {
      records[100 * i] = (byte) (i < 20_000 ? 1 : 0); // a chunk ends after 20,000 records
    }
    Files.write(input, records);
    CheckSummary summary = CheckJob.of(List.of(input)).run().summary();
    assertEquals(UInt128.of(20_000), summary.firstUnordered());
    assertEquals(UInt128.of(1), summary.unordered());
    assertEquals(UInt128.of(49_998), summary.duplicates());
  }

  @Example
  void noRecordsAreInOrder() throws Exception {
    Path input = Files.createFile(folder.resolve("input"));
    CheckSummary summary = CheckJob.of(List.of(input)).run().summary();
    assertTrue(summary.isOrdered());
    assertEquals("Records: 0", summary.verdict().get(0));
  }

  @Example
  void saysHowManyBytesAreOver() throws Exception {
    Path input = folder.resolve("input");
    Files.write(input, new byte[1_042]);
    SortException refused =
        assertThrows(SortException.class, () -> CheckJob.of(List.of(input)).run());
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().contains("42 bytes are left over"), refused.getMessage());
    assertTrue(refused.getMessage().contains(input.toString()), refused.getMessage());
  }

  /// Records of zeros that end with these bytes.
  private static byte[] records(List<Integer> lastBytes, int recordSize) {
    byte[] bytes = new byte[lastBytes.size() * recordSize];
    for (int i = 0; i < lastBytes.size(); i++) {
      bytes[(i + 1) * recordSize - 1] = lastBytes.get(i).byteValue();
    }
    return bytes;
  }

  private Path write(String name, byte[] bytes, int from, int to) throws IOException {
    return Files.write(folder.resolve(name), Arrays.copyOfRange(bytes, from, to));
  }

  @Property(tries = 60)
  void agreesWithAReferenceOnAnyPartitions(
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 3) Integer> keys,
      @ForAll @IntRange(min = 1, max = 20) int recordSize,
      @ForAll @IntRange(min = 0, max = 300) int cut,
      @ForAll boolean sorted)
      throws Exception {
    List<Integer> values = new ArrayList<>(keys);
    if (sorted) {
      values.sort(null);
    }
    byte[] bytes = records(values, recordSize);
    int split = Math.min(cut, values.size()) * recordSize;
    Path left = write("left", bytes, 0, split);
    Path right = write("right", bytes, split, bytes.length);
    RecordFormat format = new RecordFormat(recordSize, 0, recordSize);

    CheckSummary expected = reference(values, bytes, format);
    CheckSummary together = CheckJob.of(List.of(left, right)).format(format).run().summary();
    assertEquals(expected.verdict(), together.verdict());

    Path summaries = folder.resolve("summary");
    CheckJob.of(List.of(left)).format(format).run().summary().write(summaries);
    CheckSummary first = CheckSummary.read(summaries).get(0);
    CheckJob.of(List.of(right)).format(format).run().summary().write(summaries);
    CheckSummary second = CheckSummary.read(summaries).get(0);
    assertEquals(expected.verdict(), first.then(second).verdict());
  }

  /// Around what is read at a time, with keys that are long, and equal for long.
  @Property(tries = 30)
  void agreesWithAReferenceOnLargeRecords(
      @ForAll @IntRange(min = 1_999_999, max = 2_000_002) int recordSize,
      @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 0, max = 2) Integer> keys,
      @ForAll @IntRange(min = 1, max = 2_000_000) int last,
      @ForAll @IntRange(min = 0, max = 8) int cut)
      throws Exception {
    int keySize = Math.min(last, recordSize);
    RecordFormat format = new RecordFormat(recordSize, recordSize - keySize, keySize);
    byte[] bytes = records(keys, recordSize);
    int split = Math.min(cut, keys.size()) * recordSize;
    Path left = write("left", bytes, 0, split);
    Path right = write("right", bytes, split, bytes.length);
    List<String> expected = reference(keys, bytes, format).verdict();
    CheckJob job = CheckJob.of(List.of(left)).format(format);
    CheckSummary first = job.run().summary();
    CheckSummary second = CheckJob.of(List.of(right)).format(format).run().summary();
    assertEquals(expected, first.then(second).verdict());
    List<Path> both = List.of(left, right);
    assertEquals(expected, CheckJob.of(both).format(format).run().summary().verdict());
  }

  /// Not with a file of so many records, which would take minutes, but with what a thread is given
  /// of one, and with what is added up.
  @Example
  void countsMoreRecordsThanAnIntHolds() throws Exception {
    long records = 5L << 32;
    Path sparse = folder.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength(records);
    }
    Path small = Files.write(folder.resolve("small"), new byte[10]);
    try (InputFiles files = new InputFiles(List.of(sparse, small), new RecordFormat(1, 0, 1))) {
      assertEquals(records + 10, files.records());
      files.cut(4);
      assertEquals(records / 4 + 3, files.chunks());
      InputFiles.Chunk middle = files.chunk(1L << 32);
      assertEquals(4L << 32, middle.from());
      assertEquals(4L << 32, middle.first());
      assertEquals(4, middle.records());
      InputFiles.Chunk end = files.chunk(files.chunks() - 1);
      assertEquals(records + 8, end.first());
      assertEquals(8, end.from());
      assertEquals(2, end.records());
      InputFiles.Chunk before = files.records(records - 1, 7);
      assertEquals(records - 1, before.from());
      assertEquals(1, before.records());
    }
    Path input = Files.write(folder.resolve("input"), new byte[1_000]);
    CheckSummary equal = CheckJob.of(List.of(input)).run().summary();
    for (int i = 0; i < 40; i++) {
      equal = equal.then(equal);
    }
    assertEquals("Records: " + (10L << 40), equal.verdict().get(0));
    assertEquals("Duplicate keys: " + ((10L << 40) - 1), equal.verdict().get(2));
  }

  private static byte[] bytes(CheckSummary summary) throws Exception {
    var out = new ByteArrayOutputStream();
    summary.writeTo(out);
    return out.toByteArray();
  }

  private static CheckSummary reference(List<Integer> keys, byte[] bytes, RecordFormat format) {
    int unordered = 0;
    int duplicates = 0;
    int first = 0;
    long sum = 0;
    for (int i = 0; i < keys.size(); i++) {
      CRC32 crc = new CRC32();
      crc.update(bytes, i * format.recordSize(), format.recordSize());
      sum += crc.getValue();
      if (i > 0 && keys.get(i).equals(keys.get(i - 1))) {
        duplicates++;
      } else if (i > 0 && keys.get(i) < keys.get(i - 1)) {
        first = unordered == 0 ? i : first;
        unordered++;
      }
    }
    Bytes key = Jbuf.allocate(format.keySize()).asBytes();
    return new CheckSummary(
        format,
        0,
        UInt128.of(keys.size()),
        UInt128.of(unordered),
        UInt128.of(duplicates),
        UInt128.of(sum),
        UInt128.of(first),
        key,
        key);
  }

  @Property(tries = 300)
  void refusesOrReadsAnyBytesAsASummary(@ForAll @Size(max = 400) byte[] bytes) throws Exception {
    Path file = Files.write(folder.resolve("summary"), bytes);
    assertThrows(SortException.class, () -> CheckSummary.read(file));
  }

  @Property(tries = 300)
  void noticesAnyDamagedByteOfASummary(
      @ForAll @IntRange(min = 0, max = 127) int at, @ForAll @IntRange(min = 1, max = 255) int flip)
      throws Exception {
    CheckSummary summary = CheckSummary.empty(RecordFormat.GENSORT, 0);
    byte[] bytes = bytes(summary);
    bytes[at] ^= (byte) flip;
    Path file = Files.write(folder.resolve("summary"), bytes);
    assertThrows(SortException.class, () -> CheckSummary.read(file));
  }

  @Property(tries = 300)
  void refusesASummaryThatContradictsItself(
      @ForAll @IntRange(min = 24, max = 103) int at, @ForAll @IntRange(min = 1, max = 255) int flip)
      throws Exception {
    byte[] bytes = bytes(CheckSummary.empty(RecordFormat.GENSORT, 0));
    bytes[at] ^= (byte) flip;
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, bytes.length - 4);
    int value = (int) crc.getValue();
    for (int i = 0; i < 4; i++) {
      bytes[bytes.length - 4 + i] = (byte) (value >>> (8 * i));
    }
    Path file = Files.write(folder.resolve("summary"), bytes);
    boolean onlyRecords = at >= 24 && at < 40;
    if (onlyRecords && at < 32 && bytes[31] >= 0) {
      assertTrue(CheckSummary.read(file).get(0).isOrdered());
    } else {
      assertThrows(SortException.class, () -> CheckSummary.read(file));
    }
  }

  @Example
  void readsSeveralSummariesFromOneFile() throws Exception {
    byte[] one = bytes(CheckSummary.empty(RecordFormat.GENSORT, 0));
    byte[] three = Arrays.copyOf(one, 3 * one.length);
    System.arraycopy(one, 0, three, one.length, one.length);
    System.arraycopy(one, 0, three, 2 * one.length, one.length);
    Path file = Files.write(folder.resolve("summaries"), three);
    assertEquals(3, CheckSummary.read(file).size());
  }

  @Property(tries = 100)
  void joinsSummariesAsTheirRecordsAreJoined(
      @ForAll @Size(min = 1, max = 12) List<@Size(max = 4) List<@IntRange(max = 3) Integer>> parts)
      throws Exception {
    RecordFormat format = new RecordFormat(8, 0, 8);
    List<Integer> all = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (List<Integer> part : parts) {
      Path file = Files.write(folder.resolve("part-" + files.size()), records(part, 8));
      CheckJob.of(List.of(file)).format(format).run().summary().write(file);
      all.addAll(part);
      files.add(file);
    }
    List<String> expected = reference(all, records(all, 8), format).verdict();
    assertEquals(expected, CheckSummary.join(files).verdict());
    // The same in one file, as `cat` makes it.
    var together = new ByteArrayOutputStream();
    for (Path file : files) {
      together.write(Files.readAllBytes(file));
    }
    Path one = Files.write(folder.resolve("one"), together.toByteArray());
    assertEquals(expected, CheckSummary.join(List.of(one)).verdict());
  }

  @Example
  void namesTheSummaryOfOtherRecords() throws Exception {
    List<Path> files = List.of(folder.resolve("a"), folder.resolve("b"));
    CheckSummary.empty(RecordFormat.GENSORT, 0).write(files.get(0));
    CheckSummary.empty(new RecordFormat(50, 0, 10), 0).write(files.get(1));
    SortException refused = assertThrows(SortException.class, () -> CheckSummary.join(files));
    assertEquals(SortException.Kind.INPUT, refused.kind());
    String why = String.valueOf(refused.getMessage());
    assertTrue(why.startsWith(files.get(1) + " has another record format"), why);
    assertTrue(why.contains("records of 50 bytes with keys of 10 at 0"), why);
  }

  @Example
  void joinsManySummariesInTheMemoryOfAFewKeys() throws Exception {
    RecordFormat format = new RecordFormat(8 << 20, 0, 8 << 20);
    Path file = folder.resolve("summary");
    CheckSummary.empty(format, 0).write(file);
    long before = Jbuf.use().usedBytes();
    CheckSummary joined = CheckSummary.join(Collections.nCopies(50, file));
    assertTrue(Jbuf.use().usedBytes() - before <= 4L * (10 << 20));
    assertTrue(joined.isOrdered());
  }
}
