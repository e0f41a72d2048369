package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts of lines in several processes, against those in one, and GNU sort.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterLinesTest {
  private static final Heap SMALL_HEAP = new Heap(48 << 20);
  private static final Heap SMALLEST_HEAP = new Heap(4 << 20);

  @TempDir private Path folder;
  @TempDir private Path runs;

  @AfterEach
  void nothingIsLeftButTheOutput() throws IOException {
    try (var files = Files.list(folder)) {
      assertEquals(
          List.of(),
          files.filter(each -> String.valueOf(each.getFileName()).startsWith(".")).toList());
    }
  }

  private Cluster processes(int count) {
    return Cluster.processes(count).withRuns(runs);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static LineSortJob job(LineOrder order, List<Path> inputs) {
    LineSortJob job = LineSortJob.of(order).unforced().parallel(2);
    for (Path input : inputs) {
      job = job.input(SortInput.file(input));
    }
    return job;
  }

  private byte[] alone(LineOrder order, List<Path> inputs) throws Exception {
    Path expected = folder.resolve("sorted by one process");
    LineSortJob.Result _ = job(order, inputs).run(expected);
    return Files.readAllBytes(expected);
  }

  private byte[] sorted(LineSortJob job) throws Exception {
    Path output = folder.resolve("sorted");
    LineSortJob.Result result = job.run(output);
    byte[] sorted = Files.readAllBytes(output);
    assertEquals(sorted.length, result.writtenBytes());
    return sorted;
  }

  /// Lines of which many are equal and many begin alike. Their last field tells them apart.
  private static byte[] lines(int count, long seed) {
    var random = new Random(seed);
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      int kind = random.nextInt(4);
      String word = kind == 0 ? "same" : "common beginning " + random.nextInt(kind * 100);
      text.append(word).append(',').append(random.nextInt(50) - 25).append(',').append(i % 7);
      text.append(kind == 1 ? "," + i : "").append('\n');
    }
    return bytes(text.toString());
  }

  /// In one process of a run, which is this one.
  private void requireAsAlone(LineOrder order, long memory, Heap heap, Path... inputs)
      throws Exception {
    List<Path> files = List.of(inputs);
    LineSortJob job = job(order, files).memory(memory).heap(heap).on(Cluster.threads());
    assertArrayEquals(alone(order, files), sorted(job), order::toString);
  }

  @Test
  void ordersWithKeysAndWithoutSortAsInOneProcess() throws Exception {
    Path input = file("input", lines(15_000, 1));
    Path other = file("other", bytes("zz\nno end"));
    for (LineOrder order :
        List.of(
            LineOrder.bytes(),
            LineOrder.builder().options("r").build(),
            LineOrder.builder().separator(',').key("2,2n").key("1,1r").build(),
            LineOrder.builder().separator(',').key("1,1").stable().build(),
            LineOrder.builder().separator(',').key("2,2nr").unique().build(),
            LineOrder.builder().zeroTerminated().unique().build())) {
      requireAsAlone(order, 64 << 20, Heap.ofProcess(), input, other, input);
    }
  }

  @Test
  void linesThatDoNotFitMemoryOrHeapAreSpilledAndDivided() throws Exception {
    Path input = file("input", lines(150_000, 2));
    LineOrder stable = LineOrder.builder().separator(',').key("2,2n").stable().build();
    requireAsAlone(stable, 4 << 20, SMALL_HEAP, input);
    LineSortJob.Result result =
        job(stable, List.of(input))
            .memory(4 << 20)
            .heap(SMALL_HEAP)
            .on(Cluster.threads())
            .run(folder.resolve("sorted"));
    assertTrue(result.spilledBytes() > 0, result::toString);
    assertEquals(result.bytes(), result.processes().getFirst().readBytes());
    requireAsAlone(LineOrder.builder().unique().build(), 4 << 20, SMALLEST_HEAP, input);
  }

  @Test
  void fewLinesAndNoneAreSorted() throws Exception {
    for (String text : List.of("", "\n", "a", "b\na\n")) {
      requireAsAlone(LineOrder.bytes(), 64 << 20, Heap.ofProcess(), file("few", bytes(text)));
    }
  }

  @Test
  void rowsOfCsvKeepTheirFirstRowAndQuotedEnds() throws Exception {
    var random = new Random(3);
    var rows = new StringBuilder("\u00EF\u00BB\u00BFname,\"the\nnumber\"\r\n");
    for (int i = 0; i < 8_000; i++) {
      String name = random.nextBoolean() ? "\"x\n" + "\"\",".repeat(random.nextInt(9)) + "\"" : "y";
      rows.append(name).append(',').append(random.nextInt(99)).append("\r\n");
    }
    Path input = file("input", bytes(rows.toString()));
    Path header = file("header", bytes("name,\"the\nnumber\"\r\n"));
    LineOrder.Builder order = LineOrder.builder().csv().column("the\nnumber", "n");
    requireAsAlone(order.build(), 4 << 20, SMALL_HEAP, header, input);
    requireAsAlone(order.unique().build(), 4 << 20, SMALL_HEAP, input, input);
    requireAsAlone(order.column("1", "r").build(), 4 << 20, SMALL_HEAP, header, header);
    LineSortJob none =
        job(LineOrder.builder().csv().column("price", "").build(), List.of(input))
            .on(Cluster.threads());
    SortException refused = assertThrows(SortException.class, () -> sorted(none));
    assertTrue(refused.getMessage().startsWith("there is no column 'price'"), refused::toString);
  }

  @Test
  void whatIsCompressedAndStreamsAreReadAndWritten() throws Exception {
    byte[] text = lines(10_000, 4);
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(text);
    }
    List<Path> inputs = List.of(file("input.gz", packed.toByteArray()));
    byte[] expected = alone(LineOrder.bytes(), inputs);
    LineSortJob job = job(LineOrder.bytes(), inputs).on(Cluster.threads());
    Path output = folder.resolve("sorted.gz");
    LineSortJob.Result result = job.run(output);
    assertEquals(Files.size(output), result.writtenBytes());
    try (var plain = new GZIPInputStream(Files.newInputStream(output))) {
      assertArrayEquals(expected, plain.readAllBytes());
    }
    var sorted = new ByteArrayOutputStream();
    result =
        LineSortJob.of(LineOrder.bytes())
            .input(SortInput.stream("a test", new ByteArrayInputStream(text)))
            .temporary(folder)
            .on(Cluster.threads())
            .run(sorted);
    assertEquals(10_000, result.keptLines());
    assertArrayEquals(expected, sorted.toByteArray());
    LineSortJob.Result _ =
        job(LineOrder.bytes(), List.of(file("none", new byte[0])))
            .on(Cluster.threads())
            .run(output);
    try (var plain = new GZIPInputStream(Files.newInputStream(output))) {
      assertEquals(0, plain.readAllBytes().length);
    }
  }

  @Test
  void aMergeOnProcessesIsRefused() {
    LineSortJob job = LineSortJob.of(LineOrder.bytes());
    assertThrows(IllegalArgumentException.class, () -> job.merging().on(Cluster.threads()));
    assertThrows(IllegalArgumentException.class, () -> job.on(Cluster.threads()).merging());
  }

  @Test
  @Slow("starts processes")
  void twoProcessesSortAsOneDoes() throws Exception {
    byte[] text = lines(120_000, 5);
    List<Path> inputs = List.of(file("input", text), file("empty", new byte[0]));
    LineOrder order = LineOrder.builder().separator(',').key("2,2n").stable().build();
    Path output = folder.resolve("sorted");
    LineSortJob.Result result = job(order, inputs).on(processes(2)).run(output);
    assertArrayEquals(alone(order, inputs), Files.readAllBytes(output));
    assertEquals(120_000, result.lines());
    assertEquals(2, result.processes().size());
    for (SortJob.ProcessResult each : result.processes()) {
      assertTrue(each.sortedBytes() > text.length / 4, result::toString);
      assertTrue(each.peakMemoryBytes() > 0, result::toString);
    }
    assertEquals(
        text.length, result.processes().stream().mapToLong(SortJob.ProcessResult::readBytes).sum());
  }

  /// Texts, options, memory and processes at random.
  @Test
  @Slow("starts some processes for each case")
  void anyLinesAreSortedAsByOneProcessAndByGnuSort() throws Exception {
    int cases = Tier.choose(4, 200);
    for (int seed = 1; seed <= cases; seed++) {
      Random random = new Random(seed);
      List<LineCases.Case> parts = new LineCases(seed).parts(1 + random.nextInt(3));
      List<Path> inputs = new ArrayList<>();
      List<String> arguments = new ArrayList<>(parts.getFirst().arguments());
      int copies = random.nextBoolean() ? 1 : 1 + random.nextInt(300);
      for (LineCases.Case part : parts) {
        var text = new ByteArrayOutputStream();
        for (int copy = 0; copy < copies; copy++) {
          text.writeBytes(part.text());
        }
        inputs.add(file("input-" + inputs.size(), text.toByteArray()));
        arguments.add(inputs.getLast().toString());
      }
      int processes = 2 + random.nextInt(3);
      LineSortJob job =
          job(parts.getFirst().order(), inputs)
              .memory((long) (4 + random.nextInt(30)) << 20)
              .parallel(1 + random.nextInt(6))
              .on(processes(processes));
      job = random.nextInt(3) == 0 ? job.heap(SMALLEST_HEAP) : job;
      String what =
          "seed %d: %s, %d copies, %d processes".formatted(seed, arguments, copies, processes);
      byte[] sorted;
      try {
        sorted = sorted(job);
      } catch (SortException e) {
        throw new AssertionError(what, e);
      }
      assertArrayEquals(LineCases.gnuSort(arguments, folder), sorted, what);
      assertArrayEquals(alone(parts.getFirst().order(), inputs), sorted, what);
    }
  }
}
