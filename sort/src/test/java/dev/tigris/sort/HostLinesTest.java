package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A sort of text on hosts, in one process of a run, which is this one.
class HostLinesTest {
  @TempDir private Path folder;

  @Test
  void textOfAHostIsSortedAsHere() throws Exception {
    List<HostFile> files = new ArrayList<>();
    List<SortInput> here = new ArrayList<>();
    var random = new Random(2);
    for (int file = 0; file < 3; file++) {
      var lines = new StringBuilder("key,number\n");
      for (int i = 0; i < 1_000; i++) {
        lines.append(random.nextInt(500)).append(",\"f").append(file).append("\n");
        lines.append(i).append("\"\n");
      }
      Path path = Files.writeString(folder.resolve("input" + file), lines);
      files.add(new HostFile("here:1", path));
      here.add(SortInput.file(path));
    }
    HostShare share = new HostShare(List.of("here:1"), files);
    LineOrder.Builder csv = LineOrder.builder().csv().column("key", "n");
    LineOrder.Builder text = LineOrder.builder().separator(',').key("1,1n");
    for (LineOrder order :
        List.of(csv.build(), csv.stable().build(), csv.unique().build(), text.unique().build())) {
      Path output = folder.resolve("parts of " + order);
      HostSortJob.Result<LineSortJob.Result> result =
          HostSortJob.of(Cluster.threads(), share, output).order(order).parallel(2).run();
      String header = order.isCsv() ? "key,number\n" : "";
      var all = new StringBuilder(header);
      for (HostFile part : result.parts()) {
        String lines = Files.readString(part.path());
        assertTrue(lines.startsWith(header), part::toString);
        all.append(lines.substring(header.length()));
      }
      Path expected = folder.resolve("expected");
      LineSortJob job = LineSortJob.of(order);
      for (SortInput each : here) {
        job = job.input(each);
      }
      LineSortJob.Result alone = job.run(expected);
      assertEquals(Files.readString(expected), all.toString(), order::toString);
      assertEquals(alone.lines(), result.sort().lines());
      assertEquals(alone.keptLines(), result.sort().keptLines());
    }
  }
}
