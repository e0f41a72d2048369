// Over 400 lines: each kind of input and output, over the same pipes, files and packed bytes.
package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.os.Zstd;
import dev.tigris.testing.process.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Records from pipes, streams and compressed files, and to them.
class RecordInputsTest {
  private static final int SIZE = 100;
  private static final RecordOrder BY_NUMBER = RecordOrder.ofRecords(SIZE).key("8:u16le:desc");

  @TempDir Path folder;
  private Path temporary;
  private int made;

  @BeforeEach
  void makeTemporaryFolder() throws IOException {
    temporary = Files.createDirectory(folder.resolve("temporary"));
  }

  /// Where records come from, or go to.
  enum Kind {
    FILE,
    STREAM,
    PIPE,
    GZIP,
    ZSTD
  }

  private static void assumeAvailable(Kind kind) {
    assumeTrue(kind != Kind.ZSTD || Zstd.isAvailable(), "this system has no libzstd.so.1");
  }

  private SortInput input(Kind kind, byte[] records) throws IOException {
    Path path = folder.resolve("input-" + made++);
    return switch (kind) {
      case FILE -> SortInput.file(Files.write(path, records));
      case STREAM -> SortInput.stream("a test", new ByteArrayInputStream(records));
      case PIPE -> SortInput.file(pipe(path, records));
      case GZIP -> SortInput.file(Files.write(folder.resolve("input.gz"), packed(records)));
      case ZSTD ->
          SortInput.file(
              Files.write(folder.resolve("input.zst"), Zstd.compress(records, records.length, 1)));
    };
  }

  private static Path pipe(Path path, byte[] records) {
    String _ = Command.of("mkfifo", path.toString()).output();
    Thread.startVirtualThread(
        () -> {
          try {
            Files.write(path, records);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    return path;
  }

  private static byte[] packed(byte[] records) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(records);
    }
    return packed.toByteArray();
  }

  /// Sorts to an output of a kind, and returns the records that it has got.
  private byte[] sort(SortJob job, Kind kind) throws Exception {
    Path output = job.output();
    byte[] sorted =
        switch (kind) {
          case FILE -> {
            SortJob.Result _ = job.unforced().run();
            yield Files.readAllBytes(output);
          }
          case STREAM -> {
            var stream = new ByteArrayOutputStream();
            SortJob.Result _ = job.toStream(stream).temporary(temporary).run();
            yield stream.toByteArray();
          }
          case PIPE -> {
            String _ = Command.of("mkfifo", output.toString()).output();
            var read = new byte[1][];
            Thread reader = Thread.startVirtualThread(() -> read[0] = readAll(output));
            SortJob.Result _ = job.temporary(temporary).run();
            reader.join();
            yield read[0];
          }
          case GZIP -> {
            SortJob.Result _ = job.unforced().run();
            try (InputStream plain = new GZIPInputStream(Files.newInputStream(output))) {
              yield plain.readAllBytes();
            }
          }
          case ZSTD -> {
            SortJob.Result _ = job.run();
            try (InputStream plain = Zstd.decompressed(Files.newInputStream(output))) {
              yield plain.readAllBytes();
            }
          }
        };
    Files.deleteIfExists(output);
    assertNothingIsLeft();
    return sorted;
  }

  private static byte[] readAll(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void assertNothingIsLeft() throws IOException {
    for (Path each : List.of(folder, temporary)) {
      try (Stream<Path> files = Files.list(each)) {
        assertTrue(files.noneMatch(file -> file.getFileName().toString().startsWith(".")));
      }
    }
  }

  private Path output(Kind kind) {
    String end = kind == Kind.GZIP ? ".gz" : kind == Kind.ZSTD ? ".zst" : "";
    return folder.resolve("sorted" + end);
  }

  /// What a stable sort of the JDK makes of the records.
  private static byte[] expected(RecordOrder order, byte[] records) {
    List<byte[]> all = new ArrayList<>();
    for (int at = 0; at < records.length; at += order.recordSize()) {
      all.add(Arrays.copyOfRange(records, at, at + order.recordSize()));
    }
    all.sort(order::compare);
    var sorted = new ByteArrayOutputStream();
    byte[] before = null;
    for (byte[] each : all) {
      if (before == null || !order.isUnique() || order.compare(before, each) != 0) {
        sorted.writeBytes(each);
      }
      before = each;
    }
    return sorted.toByteArray();
  }

  private static byte[] records(int count) {
    return Records.make(new RecordFormat(SIZE, 0, 10), count, Records.Keys.RANDOM, count);
  }

  /// Each kind of input, in memory and with less, to each kind of output in turn.
  @ParameterizedTest
  @EnumSource
  void sortsFromAndToEverything(Kind from) throws Exception {
    assumeAvailable(from);
    RecordOrder bytes = RecordOrder.of(new RecordFormat(SIZE, 0, SIZE));
    List<RecordOrder> orders = List.of(bytes, BY_NUMBER.stable(), BY_NUMBER.unique());
    List<Kind> kinds = List.of(Kind.values());
    int turn = kinds.indexOf(from);
    sort(from, kinds.get(turn), orders.get(turn % orders.size()), records(60_000), 4 << 20);
    for (RecordOrder order : orders) {
      turn = (turn + 1) % kinds.size();
      sort(from, kinds.get(turn), order, records(3_000), 64 << 20);
    }
  }

  private void sort(Kind from, Kind to, RecordOrder order, byte[] records, long memory)
      throws Exception {
    if (to == Kind.ZSTD && !Zstd.isAvailable()) {
      return;
    }
    SortInput input = input(from, records);
    SortJob job = SortJob.ofInputs(List.of(input), output(to)).order(order).parallel(2);
    byte[] sorted = sort(job.memory(memory), to);
    assertArrayEquals(expected(order, records), sorted, from + " to " + to);
  }

  @Test
  void spillsWhatComesThroughAPipeAndDoesNotFit() throws Exception {
    byte[] records = records(60_000);
    var sorted = new ByteArrayOutputStream();
    SortJob job =
        SortJob.ofInputs(List.of(input(Kind.STREAM, records)), Path.of("-"))
            .order(BY_NUMBER)
            .toStream(sorted)
            .temporary(temporary)
            .memory(4 << 20);
    SortJob.Result result = job.run();
    assertEquals(2, result.passes());
    assertTrue(result.spilledBytes() > 0 && result.peakMemoryBytes() <= 4 << 20);
    Path file = Files.write(folder.resolve("file"), records);
    CheckSummary given = CheckJob.of(List.of(file)).run().summary();
    assertEquals(given.checksum(), result.checksum());
    SortInput again = SortInput.stream("it", new ByteArrayInputStream(sorted.toByteArray()));
    CheckSummary found = CheckJob.ofInputs(List.of(again)).order(BY_NUMBER).run().summary();
    assertTrue(found.isOrdered());
    assertEquals(given.checksum(), found.checksum());
    assertNothingIsLeft();
  }

  @Test
  void sortsLargeRecordsAndNone() throws Exception {
    RecordFormat large = new RecordFormat(300_000, 1_000, 20);
    byte[] records = Records.make(large, 12, Records.Keys.RANDOM, 3);
    for (Kind kind : List.of(Kind.STREAM, Kind.GZIP)) {
      SortInput input = input(kind, records);
      SortJob job = SortJob.ofInputs(List.of(input), output(kind)).format(large);
      assertArrayEquals(expected(RecordOrder.of(large), records), sort(job, kind));
      SortInput none = SortInput.stream("nothing", new ByteArrayInputStream(new byte[0]));
      assertEquals(0, sort(SortJob.ofInputs(List.of(none), output(kind)), kind).length);
    }
  }

  @Test
  void refusesAPartOfARecordByTheNameOfItsInput() throws Exception {
    byte[] records = records(5);
    byte[] part = Arrays.copyOf(records, 4 * SIZE + 50);
    for (Kind kind : List.of(Kind.FILE, Kind.STREAM, Kind.PIPE, Kind.GZIP)) {
      for (int size : new int[] {SIZE, 1 << 20}) {
        RecordFormat format = new RecordFormat(size, 0, 10);
        SortInput input = input(kind, part);
        SortJob sort = SortJob.ofInputs(List.of(input), folder.resolve("sorted")).format(format);
        refuses(sort::run, input + " is not a whole number of records: its 450 bytes are ");
        SortInput other = input(kind, part);
        CheckJob check = CheckJob.ofInputs(List.of(other)).format(format);
        refuses(check::run, other + " is not a whole number of records: its 450 bytes are ");
      }
    }
  }

  private interface Job {
    Object run() throws Exception;
  }

  private void refuses(Job job, String reason) throws IOException {
    SortException refused = assertThrows(SortException.class, job::run);
    assertEquals(SortException.Kind.INPUT, refused.kind(), refused.getMessage());
    assertTrue(refused.getMessage().contains(reason), refused.getMessage());
    assertNothingIsLeft();
  }

  @Test
  void refusesCompressedRecordsThatAreCutOrDamaged() throws Exception {
    byte[] packed = packed(records(1_000));
    Path cut = Files.write(folder.resolve("cut.gz"), Arrays.copyOf(packed, packed.length / 2));
    byte[] changed = packed.clone();
    changed[packed.length - 6] ^= 1; // of the checksum
    Path damaged = Files.write(folder.resolve("damaged.gz"), changed);
    Path plain = Files.write(folder.resolve("plain.gz"), records(1));
    for (Path input : List.of(cut, damaged, plain)) {
      String reason = input.equals(cut) ? "ends in the middle" : "gzip's format";
      refuses(SortJob.of(List.of(input), folder.resolve("sorted"))::run, input + " ");
      refuses(SortJob.of(List.of(input), folder.resolve("sorted"))::run, reason);
      refuses(CheckJob.of(List.of(input))::run, reason);
    }
  }

  @Test
  void tellsThatAStreamFails() throws Exception {
    InputStream broken = InputStream.nullInputStream();
    broken.close();
    SortInput input = SortInput.stream("the broken one", broken);
    refuses(
        SortJob.ofInputs(List.of(input), folder.resolve("sorted"))::run, "the broken one cannot");
    refuses(
        CheckJob.ofInputs(List.of(input))::run, "the broken one cannot be read (Stream closed)");
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    SortJob job =
        SortJob.ofInputs(List.of(input(Kind.STREAM, records(60_000))), Path.of("out"))
            .toStream(closed)
            .temporary(temporary)
            .memory(4 << 20);
    SortException failed = assertThrows(SortException.class, job::run);
    assertEquals(SortException.Kind.READER_GONE, failed.kind(), failed.getMessage());
    assertNothingIsLeft();
    assertThrows(IllegalArgumentException.class, job::partitioned);
  }

  /// Zeros without an end. The thread that reads them is interrupted when it has read some.
  private static final class Endless extends InputStream {
    private int reads;

    @Override
    public int read() {
      return 0;
    }

    @Override
    public int read(byte[] into, int from, int length) {
      if (++reads == 20) {
        Thread.currentThread().interrupt();
      }
      Arrays.fill(into, from, from + length, (byte) 0);
      return length;
    }
  }

  @Test
  void anInterruptStopsAJobThatReadsAStream() throws Exception {
    LineOrder lines = LineOrder.builder().zeroTerminated().build();
    Path output = folder.resolve("sorted");
    RecordOrder large = RecordOrder.of(new RecordFormat(300_000, 0, 10));
    stops(() -> SortJob.ofInputs(List.of(endless()), output).run());
    stops(() -> CheckJob.ofInputs(List.of(endless())).run());
    stops(() -> CheckJob.ofInputs(List.of(endless())).order(large).run());
    stops(() -> LineSortJob.of(lines).input(endless()).run(output));
    stops(() -> LineSortJob.of(lines).input(endless()).merging().run(output));
    stops(() -> LineCheckJob.of(lines).input(endless()).run());
    assertTrue(Files.notExists(output));
  }

  private static SortInput endless() {
    return SortInput.stream("zeros", new Endless());
  }

  private void stops(Job job) throws IOException {
    assertThrows(InterruptedException.class, job::run);
    assertFalse(Thread.interrupted(), "it is still interrupted");
    assertNothingIsLeft();
  }

  /// Records out of order, and equal ones, within inputs and between them.
  @ParameterizedTest
  @EnumSource
  void findsTheSameInEveryInput(Kind kind) throws Exception {
    assumeAvailable(kind);
    byte[] records = expected(BY_NUMBER, records(20_000));
    System.arraycopy(records, 0, records, 700_000, SIZE); // the largest behind smaller ones
    int half = records.length / 2;
    byte[] first = Arrays.copyOf(records, half);
    byte[] last = Arrays.copyOfRange(records, half, records.length);
    for (RecordOrder order : List.of(BY_NUMBER, RecordOrder.of(new RecordFormat(SIZE, 8, 4)))) {
      Path whole = Files.write(folder.resolve("whole"), records);
      CheckSummary expected = CheckJob.of(List.of(whole)).order(order).run().summary();
      for (Kind other : List.of(Kind.FILE, Kind.STREAM)) {
        SortInput middle = input(other, last);
        CheckJob job = CheckJob.ofInputs(List.of(input(kind, first), middle)).order(order);
        CheckJob.Result found = job.run();
        assertEquals(records.length, found.bytes());
        assertEquals(expected.verdict(), found.summary().verdict());
      }
    }
  }

  @Test
  void checksLargeRecordsOfAStream() throws Exception {
    RecordFormat large = new RecordFormat(400_000, 100_000, 300_000);
    byte[] records = Records.make(large, 6, Records.Keys.ORDERED, 1);
    for (@Nullable Integer swapped : new @Nullable Integer[] {null, 3}) {
      if (swapped != null) {
        System.arraycopy(records, 5 * 400_000, records, swapped * 400_000, 400_000);
      }
      Path whole = Files.write(folder.resolve("whole"), records);
      List<String> expected = CheckJob.of(List.of(whole)).format(large).run().summary().verdict();
      CheckJob job = CheckJob.ofInputs(List.of(input(Kind.STREAM, records))).format(large);
      assertEquals(expected, job.run().summary().verdict());
    }
  }

  @Test
  void compressesWhatALinkSaysAndNotItsTarget() throws Exception {
    byte[] records = new byte[2 * SIZE];
    Path input = Files.write(folder.resolve("input"), records);
    Path plain = Files.write(folder.resolve("plain"), new byte[0]);
    Path packed = Files.write(folder.resolve("packed.gz"), new byte[0]);
    Path toPlain = Files.createSymbolicLink(folder.resolve("link.gz"), plain);
    Path toPacked = Files.createSymbolicLink(folder.resolve("link"), packed);
    SortJob.Result _ = SortJob.of(List.of(input), toPlain).unforced().run();
    SortJob.Result _ = SortJob.of(List.of(input), toPacked).unforced().run();
    try (InputStream unpacked = new GZIPInputStream(Files.newInputStream(plain))) {
      assertArrayEquals(records, unpacked.readAllBytes());
    }
    assertArrayEquals(records, Files.readAllBytes(packed));
    assertTrue(Files.isSymbolicLink(toPlain) && Files.isSymbolicLink(toPacked));
  }
}
