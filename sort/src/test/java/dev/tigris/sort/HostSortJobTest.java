package dev.tigris.sort;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts on one host, in one process of a run, which is this one, and on two hosts, both of whose
/// processes are. The tests of the command have processes, and a disk for each host.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostSortJobTest {
  private static final List<String> HOSTS = List.of("one.example:1", "other.example:1");
  private static final long MEGABYTE = 1 << 20;

  @TempDir private Path folder;

  private final List<HostFile> files = new ArrayList<>();

  /// Makes an input of a host.
  private Path input(int host, byte[] bytes) throws IOException {
    Path path = Files.write(folder.resolve("input" + files.size()), bytes);
    files.add(new HostFile(HOSTS.get(host), path));
    return path;
  }

  private List<Path> inputs() {
    return files.stream().map(HostFile::path).toList();
  }

  private HostSortJob<SortJob.Result> job(Path output) {
    return HostSortJob.of(Cluster.threads(), share(files), output);
  }

  private HostSortJob<SortJob.Result> jobOnTwo(Path output) {
    Cluster two = Cluster.rehearsal().withRuns(folder.resolve("runs"));
    return HostSortJob.of(two, new HostShare(HOSTS, files), output);
  }

  private static HostCheckJob<CheckJob.Result> check(List<HostFile> parts) {
    return HostCheckJob.of(Cluster.threads(), share(parts));
  }

  private static List<HostFile> twice(List<HostFile> parts) {
    return Stream.concat(parts.stream(), parts.stream()).toList();
  }

  /// Puts all files on the first host.
  private static HostShare share(List<HostFile> files) {
    String host = HOSTS.getFirst();
    return new HostShare(
        List.of(host), files.stream().map(each -> new HostFile(host, each.path())).toList());
  }

  private void requireNothingLeft(Path output) throws IOException {
    if (Files.exists(output)) {
      try (Stream<Path> left = Files.list(output)) {
        assertEquals(List.of(), left.toList());
      }
    }
  }

  private static byte[] bytes(List<HostFile> parts) throws IOException {
    var all = new ByteArrayOutputStream();
    for (HostFile part : parts) {
      all.write(Files.readAllBytes(part.path()));
    }
    return all.toByteArray();
  }

  @Test
  @Slow("a run on two processes")
  void aHostMayHaveNoRecordAndAllKeysMayBeEqual() throws Exception {
    byte[] records = Records.make(RecordFormat.GENSORT, 20_000, Records.Keys.EQUAL, 1);
    input(0, records);
    input(1, new byte[0]);
    HostSortJob.Result<SortJob.Result> result =
        jobOnTwo(folder.resolve("sorted")).order(RecordOrder.GENSORT.stable()).run();
    assertArrayEquals(records, bytes(result.parts()));
    assertEquals(0, result.sort().processes().getLast().readBytes(), result::toString);
  }

  @Test
  void partsAreCheckedInTheirOrder() throws Exception {
    input(0, Records.make(RecordFormat.GENSORT, 1_000, Records.Keys.RANDOM, 7));
    List<HostFile> parts = job(folder.resolve("sorted")).run().parts();
    CheckSummary found = check(parts).run().summary();
    assertTrue(found.isOrdered(), found.verdict()::toString);
    assertEquals(CheckJob.of(inputs()).run().summary().checksum(), found.checksum());
    assertFalse(check(twice(parts)).run().summary().isOrdered());
  }

  @Test
  @Slow("a run on two processes")
  void oneRecordIsSortedByMoreProcessesThanThereAre() throws Exception {
    byte[] record = Records.make(RecordFormat.GENSORT, 1, Records.Keys.RANDOM, 2);
    input(0, new byte[0]);
    input(1, record);
    HostSortJob.Result<SortJob.Result> result = jobOnTwo(folder.resolve("sorted")).run();
    assertArrayEquals(record, bytes(result.parts()));
    assertEquals(1, result.sort().records());
  }

  @Test
  void aFileThatIsMissingIsNamedWithItsHost() throws Exception {
    input(0, Records.make(RecordFormat.GENSORT, 10, Records.Keys.RANDOM, 3));
    Path missing = input(1, new byte[0]);
    Files.delete(missing);
    Path output = folder.resolve("sorted");
    SortException failure = assertThrows(SortException.class, job(output)::run);
    assertEquals(SortException.Kind.INPUT, failure.kind());
    String name = HOSTS.getFirst() + ": " + missing;
    assertTrue(failure.getMessage().contains(name), failure::getMessage);
    assertFalse(Files.exists(output), "the folder was made for the parts");
  }

  @Test
  void partsOfAnotherSortAreRefused() throws Exception {
    input(0, Records.make(RecordFormat.GENSORT, 10, Records.Keys.RANDOM, 4));
    Path output = Files.createDirectory(folder.resolve("sorted"));
    Path part = Files.createFile(output.resolve("part-0007"));
    SortException failure = assertThrows(SortException.class, job(output)::run);
    assertEquals(SortException.Kind.OUTPUT, failure.kind());
    assertTrue(failure.getMessage().contains(part + " exists"), failure::getMessage);
  }

  /// An input is deleted when the sort has begun: before its process has opened it, or while it
  /// reads.
  @Test
  void anInputThatVanishesFailsTheSortOrIsReadAsItWas() throws Exception {
    input(0, Records.make(RecordFormat.GENSORT, 100_000, Records.Keys.RANDOM, 5));
    Path vanishing = input(1, Records.make(RecordFormat.GENSORT, 100_000, Records.Keys.RANDOM, 6));
    Path expected = folder.resolve("expected");
    SortJob.Result _ = SortJob.of(inputs(), expected).unforced().run();
    Path output = folder.resolve("sorted");
    var isDeleted = new AtomicBoolean();
    HostSortJob<SortJob.Result> job =
        job(output)
            .progress(
                (phase, done, total) -> {
                  if (!isDeleted.getAndSet(true)) {
                    delete(vanishing);
                  }
                });
    try {
      assertArrayEquals(Files.readAllBytes(expected), bytes(job.run().parts()));
    } catch (SortException e) {
      assertEquals(SortException.Kind.INPUT, e.kind(), e::toString);
      assertTrue(e.getMessage().contains(vanishing + " does not exist"), e.getMessage());
      assertTrue(e.getMessage().contains(HOSTS.getFirst()), e.getMessage());
      requireNothingLeft(output);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Sizes, typed keys, memory and shares of the hosts at random. Equal keys keep the order of the
  /// inputs, or the first is kept. Of ten cases two are on two hosts, and all of many: the second
  /// input of three lies on the other host.
  @Test
  @Slow("two cases have a run on two processes each")
  void anyRecordsAreSortedAsInOneProcess() throws Exception {
    int cases = Tier.choose(10, 200);
    int alone = Tier.choose(8, 0);
    for (int seed = 1; seed <= cases; seed++) {
      Random random = new Random(seed);
      int size = 4 + random.nextInt(100);
      RecordOrder order =
          RecordOrder.ofRecords(size)
              .key("0:%s".formatted(random.nextBoolean() ? "u16le:desc" : "i8"));
      order = random.nextBoolean() ? order.stable() : order.unique();
      int values = 1 + random.nextInt(random.nextBoolean() ? 3 : 256);
      files.clear();
      for (int i = 0; i < 3; i++) {
        int count = (int) Math.pow(10, 4.7 * random.nextDouble()) - 1;
        byte[] records = new byte[count * size];
        random.nextBytes(records);
        for (int record = 0; record < count; record++) {
          records[record * size] = (byte) (random.nextInt(values) - values / 2);
          records[record * size + 1] = 0;
        }
        Path _ = input(i % 2, records);
      }
      String what = "seed %d: %s, %d keys".formatted(seed, order, values);
      Path output = folder.resolve("sorted" + seed);
      Path expected = folder.resolve("expected");
      SortJob.Result here = SortJob.of(inputs(), expected).order(order).unforced().run();
      HostSortJob.Result<SortJob.Result> result =
          (seed <= alone ? job(output) : jobOnTwo(output))
              .order(order)
              .memory((4 + random.nextInt(60)) * MEGABYTE)
              .parallel(1 + random.nextInt(3))
              .run();
      assertArrayEquals(Files.readAllBytes(expected), bytes(result.parts()), what);
      assertEquals(here.keptRecords(), result.sort().keptRecords(), what);
      assertEquals(here.records(), result.sort().records(), what);
    }
  }

  @Test
  void textIsSortedAsHere() throws Exception {
    var random = new Random(2);
    for (int file = 0; file < 3; file++) {
      var lines = new StringBuilder("key,number\n");
      for (int i = 0; i < 1_000; i++) {
        lines.append(random.nextInt(500)).append(",\"f").append(file).append("\n");
        lines.append(i).append("\"\n");
      }
      Path _ = input(file % 2, lines.toString().getBytes(UTF_8));
    }
    LineOrder.Builder csv = LineOrder.builder().csv().column("key", "n");
    LineOrder.Builder text = LineOrder.builder().separator(',').key("1,1n");
    for (LineOrder order :
        List.of(csv.build(), csv.stable().build(), csv.unique().build(), text.unique().build())) {
      HostSortJob.Result<LineSortJob.Result> result =
          job(folder.resolve("parts of " + order)).order(order).parallel(2).run();
      String header = order.isCsv() ? "key,number\n" : "";
      var all = new StringBuilder(header);
      for (HostFile part : result.parts()) {
        String lines = Files.readString(part.path());
        assertTrue(lines.startsWith(header), part::toString);
        all.append(lines.substring(header.length()));
      }
      Path expected = folder.resolve("expected");
      LineSortJob job = LineSortJob.of(order);
      for (Path each : inputs()) {
        job = job.input(SortInput.file(each));
      }
      LineSortJob.Result alone = job.run(expected);
      assertEquals(Files.readString(expected), all.toString(), order::toString);
      assertEquals(alone.lines(), result.sort().lines());
      assertEquals(alone.keptLines(), result.sort().keptLines());
      if (order.isUnique()) {
        assertTrue(check(result.parts()).order(order).run().isOrdered(), order::toString);
        assertFalse(check(twice(result.parts())).order(order).run().isOrdered());
      }
    }
  }
}
