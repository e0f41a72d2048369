package dev.tigris.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.LineOrder;
import dev.tigris.sort.LineSortJob;
import dev.tigris.sort.SortInput;
import dev.tigris.sort.SortJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Sorts of records, lines and CSV on a cluster, each beside the same sort in one process.
final class Sorts {
  private static final int COUNT = 40_000;
  private static final int MEMORY = 64 << 20;

  private final Cluster cluster;
  private final Path folder;

  private Sorts(Cluster cluster, Path folder) {
    this.cluster = cluster;
    this.folder = folder;
  }

  /// Sorts each way.
  ///
  /// @param parent of a folder with all files
  static void areAsInOneProcess(Cluster cluster, Path parent) throws Exception {
    Sorts sorts = new Sorts(cluster, Files.createDirectory(parent.resolve("sorts")));
    sorts.records();
    Random random = new Random(23);
    Path lines = sorts.file("lines", IntStream.range(0, COUNT).mapToObj(_ -> line(random)));
    sorts.text(LineOrder.builder().separator(' ').key("2,2n").unique().build(), lines);
    Stream<String> rows = IntStream.range(0, COUNT).mapToObj(id -> row(id, random));
    Path table = sorts.file("table.csv", Stream.concat(Stream.of("id,amount,note\n"), rows));
    sorts.text(LineOrder.builder().csv().column("amount", "nr").build(), table);
  }

  private static String line(Random random) {
    return "word%d %d\n".formatted(random.nextInt(COUNT), random.nextInt(1000));
  }

  private static String row(int id, Random random) {
    return "%d,%d.5,\"two\nlines, \"\"%d\"\"\"\n"
        .formatted(id, random.nextInt(2000) - 1000, id % 7);
  }

  private Path file(String name, Stream<String> texts) throws Exception {
    return Files.writeString(folder.resolve(name), texts.collect(Collectors.joining()));
  }

  private void records() throws Exception {
    Path data = folder.resolve("data");
    var _ = GenerateJob.to(data, COUNT).run();
    SortJob job = SortJob.of(List.of(data), folder.resolve("expected")).memory(MEMORY).unforced();
    var _ = job.run();
    SortJob.Result result =
        SortJob.of(List.of(data), folder.resolve("sorted"))
            .memory(MEMORY)
            .unforced()
            .on(cluster)
            .run();
    assertEquals(cluster.workers(), result.processes().size());
    expectSame();
  }

  private void text(LineOrder order, Path input) throws Exception {
    LineSortJob job = LineSortJob.of(order).input(SortInput.file(input)).unforced();
    var _ = job.run(folder.resolve("expected"));
    LineSortJob.Result result = job.on(cluster).run(folder.resolve("sorted"));
    assertEquals(cluster.workers(), result.processes().size());
    expectSame();
  }

  private void expectSame() throws Exception {
    Path sorted = folder.resolve("sorted");
    assertEquals(-1, Files.mismatch(folder.resolve("expected"), sorted));
    Files.delete(sorted);
  }
}
