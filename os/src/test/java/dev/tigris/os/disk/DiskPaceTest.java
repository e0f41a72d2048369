package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.Waiter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
class DiskPaceTest {
  private static final int BLOCK = 4096;

  @TempDir Path folder;

  private DiskFile file(DiskQueue queue, String name) throws IOException {
    Path path = folder.resolve(name);
    Files.write(path, new byte[4 * BLOCK]);
    return queue.open(path, DiskFile.Mode.READ, DiskFile.Caching.CACHED);
  }

  private static MemorySegment block() {
    return Arena.ofAuto().allocate(BLOCK, BLOCK);
  }

  private static DiskOperation read(DiskFile file) {
    return new DiskOperation().toRead(file, 0, block());
  }

  @ParameterizedTest
  @EnumSource(DiskQueue.Way.class)
  void aPaceBoundsTheRateOfItsFilesTogether(DiskQueue.Way way) throws Exception {
    try (DiskQueue queue = DiskQueue.open(way, 8)) {
      DiskFile slow = file(queue, "slow");
      DiskFile slower = file(queue, "slower");
      DiskFile fast = file(queue, "fast");
      var pace = new DiskPace(100 * BLOCK);
      slow.pace(pace);
      slower.pace(pace);
      long start = System.nanoTime();
      queue.start(read(slow));
      queue.start(read(slower));
      assertEquals(BLOCK, queue.run(read(fast)).transferred());
      assertNull(queue.take().orThrow().failure());
      assertTrue(System.nanoTime() - start >= 10_000_000);
      assertNull(queue.take().orThrow().failure());
      assertTrue(System.nanoTime() - start >= 20_000_000);
      queue.run(read(slow));
      assertTrue(System.nanoTime() - start >= 30_000_000);
      slow.pace(null);
      assertEquals(BLOCK, queue.run(read(slow)).transferred());
      queue.checkInvariants();
    }
  }

  /// The queue's thread waits for it together with others: as their host.
  @ParameterizedTest
  @EnumSource(DiskQueue.Way.class)
  void aWaitEndsWhenTheTokensAreThere(DiskQueue.Way way) throws Exception {
    try (DiskQueue queue = DiskQueue.open(way, 8)) {
      DiskFile slow = file(queue, "slow");
      slow.pace(new DiskPace(100 * BLOCK));
      queue.start(read(slow));
      var waiter = new Waiter(queue, List.of());
      assertTrue(waiter.await(Long.MAX_VALUE));
      DiskOperation done = queue.takeNow();
      assertNotNull(done);
      assertNull(done.failure());
    }
  }

  @ParameterizedTest
  @EnumSource(DiskQueue.Way.class)
  void whatWaitsForTokensCanBeCancelled(DiskQueue.Way way) throws Exception {
    try (DiskQueue queue = DiskQueue.open(way, 8)) {
      DiskFile silent = file(queue, "silent");
      silent.pace(new DiskPace(0));
      DiskOperation first = read(silent);
      queue.start(first);
      queue.start(read(silent));
      assertNull(queue.takeNow());
      queue.cancel(first);
      DiskException failure = queue.take().failure();
      assertNotNull(failure);
      assertTrue(failure.isCancelled(), failure.getMessage());
      queue.checkInvariants();
    } // closes with one that waits for ever
  }

  @ParameterizedTest
  @EnumSource(DiskQueue.Way.class)
  void aCancelledReadEndsOneWayOrTheOther(DiskQueue.Way way) throws Exception {
    try (DiskQueue queue = DiskQueue.open(way, 32)) {
      DiskFile file = file(queue, "file");
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 32; i++) {
          DiskOperation read = read(file);
          queue.start(read);
          if (i % 2 == 0) {
            queue.cancel(read);
          }
        }
        for (int i = 0; i < 32; i++) {
          DiskOperation done = queue.take();
          DiskException failure = done.failure();
          assertTrue(failure == null ? done.transferred() == BLOCK : failure.isCancelled());
        }
        queue.checkInvariants();
      }
      assertEquals(0, queue.underWay());
    }
  }
}
