package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Results;
import dev.tigris.flow.mirror.Mirror;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A mirrored data set that several processes of a run read.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MirrorRunTest {
  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 90;

  @TempDir private Path folder;
  @TempDir private Path runs;

  @Test
  void eachProcessReadsItsSegmentsThoughADiskIsAway() throws Exception {
    byte[] bytes = new byte[BLOCKS * BLOCK_BYTES];
    new Random(57).nextBytes(bytes);
    long sum = 0;
    for (byte each : bytes) {
      sum += each;
    }
    Path data = Files.write(folder.resolve("data"), bytes);
    List<Path> disks = new ArrayList<>();
    for (int disk = 0; disk < 3; disk++) {
      disks.add(Files.createDirectory(folder.resolve("disk" + disk)));
    }
    Mirror.copying(data, "data", disks, BLOCK_BYTES, 2, warning -> {}).start().await();
    String manifest = disks.getFirst().resolve("data.mirror").toString();
    Cluster cluster = Cluster.processes(2).withRuns(runs);
    for (boolean isAway : List.of(false, true)) {
      if (isAway) {
        Files.move(disks.getLast(), folder.resolve("away"));
      }
      Results results = cluster.start(ReadsMirror.class, manifest, "3").await();
      assertEquals(sum, results.number("sum"));
      List<Long> blocks =
          results.numbers().entrySet().stream()
              .filter(each -> each.getKey().startsWith("blocks-"))
              .map(each -> each.getValue())
              .sorted()
              .toList();
      assertEquals(List.of(BLOCKS / 3L, 2L * BLOCKS / 3), blocks, results::toString);
    }
    Files.move(disks.get(1), folder.resolve("away too"));
    RunException lost =
        assertThrows(
            RunException.class, () -> cluster.start(ReadsMirror.class, manifest, "3").await());
    assertTrue(lost.getMessage().contains("segment 1"), lost.getMessage());
  }
}
