package dev.tigris.net.provider;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.net.DataType;
import dev.tigris.net.Status;
import java.io.IOException;
import java.lang.foreign.Arena;
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

  @Test
  void holdsItsMemoryWhileATransferIsPosted() {
    Region region = new Region(Jbuf.allocate(64, "test").asBytes());
    Region other = new Region(Jbuf.allocate(64, "test").asBytes());
    Transfer transfer =
        new Transfer(region, other) {
          @Override
          protected void completed() {}
        };
    transfer.startReceiving();
    assertThrows(IllegalStateException.class, region::forget);
    assertThrows(IllegalStateException.class, other::forget);
    transfer.complete(Status.FLUSHED, 0);
    assertFalse(other.isPosted());
    region.forget();
  }

  @Test
  void refusesASegmentThatIsNoArray() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment outside = arena.allocate(16);
      assertThrows(IllegalArgumentException.class, () -> new Region(outside, DataType.BYTES));
    }
  }
}
