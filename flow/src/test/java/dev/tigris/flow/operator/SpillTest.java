package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillTest {
  @TempDir Path folder;

  @Test
  void givesItsMemoryBackWhenAReaderThrows() throws Exception {
    long reclaimed = Jbuf.use().reclaimedCount();
    long count = Jbuf.use().count();
    try (Spill spill = new Spill(folder, 0)) {
      Jbuf row = Jbuf.allocate(8, "row");
      spill.add(1, row.asBytes(), 0, 8);
      row.unreference(Jbuf::free);
      for (int i = 0; i < Spill.PARTS; i++) {
        int part = i;
        if (spill.bytes(part) > 0) {
          assertThrows(
              IOException.class,
              () ->
                  spill.read(
                      part,
                      (bytes, start, length, hash) -> {
                        throw new IOException("full");
                      }));
        }
      }
    }
    while (Jbuf.use().count() > count) {
      System.gc();
    }
    assertEquals(reclaimed, Jbuf.use().reclaimedCount());
  }
}
