package dev.tigris.net.provider;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.net.DataType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionTest {
  @TempDir private Path folder;

  @Test
  void isSteadyUnlessOthersCanCutItOrTheCollectorMovesIt() throws IOException {
    Jbuf file = Jbuf.map(folder.resolve("file"), Mapping.SHARED, 4096);
    MemorySegment array = MemorySegment.ofArray(new byte[16]);
    assertTrue(new Region(Jbuf.allocate(4096, "test").asBytes()).isSteady());
    assertFalse(new Region(file.asBytes()).isSteady());
    assertFalse(new Region(array, DataType.BYTES).isSteady());
  }
}
