package dev.tigris.cluster.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.disk.ServedDisk.Opened;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.call.CallException;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.testing.process.Command;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class ServedDiskTest {
  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 20;

  @TempDir private Path folder;

  private Path file() throws Exception {
    byte[] bytes = new byte[BLOCKS * BLOCK_BYTES];
    for (int block = 0; block < BLOCKS; block++) {
      Arrays.fill(bytes, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES, (byte) block);
    }
    return Files.write(folder.resolve("data"), bytes);
  }

  private static void requireBlock(Bytes reply, int block) {
    assertEquals(BLOCK_BYTES, reply.getLong(0));
    assertEquals(block, reply.get(HostDisks.REPLY_HEADER_BYTES));
    assertEquals(block, reply.get(HostDisks.REPLY_HEADER_BYTES + BLOCK_BYTES - 1));
  }

  /// A call may look at its future when that is complete already.
  @Test
  void aReplyIsNotOverwrittenBeforeItIsCopied() throws Exception {
    try (ServedDisk disk = new ServedDisk(folder)) {
      disk.await();
      Opened opened = disk.open(file(), DiskFile.Mode.READ);
      List<CompletableFuture<Bytes>> replies = new ArrayList<>();
      for (int block = 0; block < BLOCKS; block++) {
        replies.add(disk.read(opened, (long) block * BLOCK_BYTES, BLOCK_BYTES, 1, block));
      }
      for (CompletableFuture<Bytes> reply : replies) {
        Bytes _ = reply.get();
      }
      for (int block = 0; block < BLOCKS; block++) {
        int its = block;
        Bytes _ =
            replies.get(block).whenComplete((reply, failure) -> requireBlock(reply, its)).get();
      }
      disk.close(opened);
    }
  }

  @Test
  void aWriteToAFileThatIsReadFailsAlone() throws Exception {
    try (ServedDisk disk = new ServedDisk(folder)) {
      disk.await();
      Opened opened = disk.open(file(), DiskFile.Mode.READ);
      CompletableFuture<Long> written =
          disk.write(opened, 0, MemorySegment.ofArray(new byte[1]), () -> {});
      ExecutionException refused = assertThrows(ExecutionException.class, written::get);
      assertTrue(refused.getMessage().contains("for reading only"), refused::getMessage);
      assertThrows(ExecutionException.class, disk.sync(opened)::get);
      requireBlock(disk.read(opened, BLOCK_BYTES, BLOCK_BYTES, 1, 0).get(), 1);
    }
  }

  /// A peer may call with any numbers.
  @Test
  void callsWithWrongNumbersAreRefused() throws Exception {
    try (ServedDisk disk = new ServedDisk(folder.toRealPath());
        Served served = new Served(List.of(disk), "here")) {
      disk.await();
      long number = served.open(file().toRealPath().toString(), HostDisks.READ);
      Bytes one = Jbuf.allocate(1).asBytes();
      assertThrows(CallException.class, () -> served.write(number, 0, one));
      assertThrows(CallException.class, () -> served.sync(number));
      assertThrows(CallException.class, () -> served.resize(number, 0));
      assertThrows(CallException.class, () -> served.read(number, Long.MAX_VALUE, 8, 1, 0));
      assertThrows(CallException.class, () -> served.read(number, -1, 8, 1, 0));
      assertEquals(-HostDisks.STALE, served.read(number + 1, 0, 8, 1, 0).get().getLong(0));
      assertEquals(BLOCK_BYTES, served.read(number, 0, BLOCK_BYTES, 1, 0).get().getLong(0));
      String pipe = folder.toRealPath().resolve("pipe").toString();
      Command.of("mkfifo", pipe).run().expect(0);
      assertThrows(CallException.class, () -> served.open(pipe, HostDisks.READ));
    }
  }

  @Test
  void whatIsAskedForAfterTheEndIsRefused() throws Exception {
    ServedDisk disk = new ServedDisk(folder);
    disk.await();
    Opened opened = disk.open(file(), DiskFile.Mode.READ);
    disk.close();
    assertEquals(-HostDisks.STALE, disk.read(opened, 0, BLOCK_BYTES, 1, 0).get().getLong(0));
    assertTrue(disk.sync(opened).get() < 0);
  }
}
