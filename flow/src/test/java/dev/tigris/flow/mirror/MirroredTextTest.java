package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.Flow;
import dev.tigris.flow.text.Lines;
import dev.tigris.flow.text.Rows;
import dev.tigris.flow.text.TextFeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MirroredTextTest {
  @Test
  void linesAreReadByNameByAllReplicas(@TempDir Path folder) throws Exception {
    List<Path> disks = new ArrayList<>();
    for (int disk = 0; disk < 3; disk++) {
      disks.add(Files.createDirectory(folder.resolve("disk" + disk)));
    }
    int count = 20_000;
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add("line " + i);
    }
    Path file = Files.write(folder.resolve("log"), lines);
    Mirror.copying(file, "log", disks, 8192, 2, warning -> {}).start().await();
    var rows = new LongAdder();
    TextFeed feed = Lines.reading(disks.get(1).resolve("log.mirror")).withBlockBytes(3000);
    Flow.named("count")
        .stage(
            "count",
            () -> {
              Rows batch = new Rows();
              return (in, out) -> {
                batch.open(in);
                while (batch.next()) {
                  rows.increment();
                }
              };
            },
            3)
        .feed("count", feed)
        .build()
        .start()
        .await();
    assertEquals(count, rows.sum());
  }
}
