package dev.tigris.net.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
  private static final int BYTES = 4 * 4096;

  @TempDir private Path folder;
  private Path file;
  private Bytes mapped;

  private static final class Message extends Transfer {
    Message(Bytes... memory) {
      Region[] regions = new Region[memory.length];
      for (int i = 0; i < memory.length; i++) {
        regions[i] = new Region(memory[i]);
      }
      super(regions);
      for (int i = 0; i < memory.length; i++) {
        range(i, 0, memory[i].capacityBytes());
      }
    }

    @Override
    protected void completed() {}
  }

  @BeforeEach
  void mapAFile() throws IOException {
    file = Files.write(folder.resolve("file"), new byte[BYTES]);
    mapped = Jbuf.map(file, Mapping.SHARED).asBytes();
  }

  private void cut(int left) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(left);
    }
  }

  /// Compiled code is told of a page that is not there some time after it has touched it.
  @Test
  void tellsWhoCopiesThatMemoryIsGone() throws IOException {
    Message message = new Message(mapped);
    MemorySegment elsewhere = Jbuf.allocate(BYTES).asBytes().segment();
    assertEquals(0, copy(message, elsewhere, 500_000)); // so often that all of it is compiled
    cut(0);
    assertEquals(2 * 1_000, copy(message, elsewhere, 1_000));
  }

  private static int copy(Transfer message, MemorySegment elsewhere, int rounds) {
    int told = 0;
    for (int round = 0; round < rounds; round++) {
      int size = 1 + round % 100;
      try {
        message.copyTo(elsewhere, 0, 100, size);
      } catch (LostMemoryException e) {
        told++;
      }
      try {
        message.copyFrom(elsewhere, 0, 100, size);
      } catch (LostMemoryException e) {
        told++;
      }
    }
    return told;
  }

  @Test
  void findsAnyPageThatIsGone() throws IOException {
    Bytes other = Jbuf.allocate(100).asBytes();
    Message whole = new Message(other, mapped.slice(10, BYTES - 10));
    Message front = new Message(mapped.slice(0, BYTES / 2), other);
    whole.requireMemory();
    cut(BYTES / 2);
    front.requireMemory();
    assertThrows(LostMemoryException.class, whole::requireMemory);
    new Message(other).requireMemory();
    cut(BYTES / 2 - 4096);
    assertThrows(LostMemoryException.class, front::requireMemory);
  }
}
