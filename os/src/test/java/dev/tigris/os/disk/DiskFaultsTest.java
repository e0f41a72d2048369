package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.SystemException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Operations that the system interrupts, cuts short or refuses.
@Timeout(30)
class DiskFaultsTest {
  private static final int EIO = 5;
  private static final FaultyEngine.Fate INTERRUPTED =
      new FaultyEngine.Fate.Result(-SystemException.INTERRUPTED);
  private static final FaultyEngine.Fate BROKEN = new FaultyEngine.Fate.Result(-EIO);

  @TempDir Path folder;
  private final FaultyEngine engine = new FaultyEngine();
  private final DiskQueue queue = new DiskQueue(engine, 8, null);
  private final DiskOperation operation = new DiskOperation();
  private DiskFile file;

  @BeforeEach
  void open() throws IOException {
    file = queue.open(folder.resolve("file"), DiskFile.Mode.MAKE, DiskFile.Caching.DIRECT);
  }

  @AfterEach
  void close() {
    engine.letGo();
    queue.close();
  }

  private static MemorySegment memory(int bytes) {
    MemorySegment memory = Arena.ofAuto().allocate(bytes, 4096);
    for (int i = 0; i < bytes; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
    }
    return memory;
  }

  @Test
  void repeatsWhatWasInterruptedAndGoesOnWithWhatWasShort() throws Exception {
    MemorySegment data = memory(16_384);
    engine.next(INTERRUPTED, new FaultyEngine.Fate.Partly(4096), INTERRUPTED, INTERRUPTED);
    assertEquals(16_384, queue.run(operation.toWrite(file, 0, data)).transferred());
    engine.next(new FaultyEngine.Fate.Partly(8192), INTERRUPTED);
    MemorySegment back = Arena.ofAuto().allocate(16_384, 4096);
    assertEquals(16_384, queue.run(operation.toRead(file, 0, back)).transferred());
    assertArrayEquals(data.toArray(ValueLayout.JAVA_BYTE), back.toArray(ValueLayout.JAVA_BYTE));
    engine.next(INTERRUPTED);
    queue.run(operation.toSync(file));
    assertEquals(
        List.of("WRITE 0+16384", "WRITE 0+16384", "WRITE 4096+12288", "WRITE 4096+12288"),
        engine.begun.subList(0, 4));
    queue.checkInvariants();
  }

  /// A short transfer may end within a block.
  @Test
  void goesOnWithinABlock() throws Exception {
    engine.next(new FaultyEngine.Fate.Done());
    queue.run(operation.toWrite(file, 0, memory(16_384)));
    file.resize(10_000);
    MemorySegment back = Arena.ofAuto().allocate(16_384, 4096);
    assertEquals(10_000, queue.run(operation.toRead(file, 0, back)).transferred());
    assertArrayEquals(
        memory(10_000).toArray(ValueLayout.JAVA_BYTE),
        Arrays.copyOf(back.toArray(ValueLayout.JAVA_BYTE), 10_000));
  }

  @Test
  void goesThroughTheCacheOnceDirectTransfersAreRefused() throws Exception {
    engine.next(new FaultyEngine.Fate.Result(-SystemException.INVALID));
    assertTrue(file.isDirect());
    queue.run(operation.toWrite(file, 0, memory(8192)));
    assertFalse(file.isDirect());
    engine.next(new FaultyEngine.Fate.Result(-SystemException.INVALID));
    operation.toWrite(file, 0, memory(8192));
    DiskException e = assertThrows(DiskException.class, () -> queue.run(operation));
    assertEquals(SystemException.INVALID, e.error());
  }

  @Test
  void saysFilePositionProgressAndCause() throws Exception {
    engine.next(new FaultyEngine.Fate.Partly(4096), BROKEN);
    operation.toWrite(file, 8192, memory(12_288));
    DiskException e = assertThrows(DiskException.class, () -> queue.run(operation));
    assertEquals(
        "could not write 12288 bytes at 8192 of %s, of which 4096 are done (Input/output error)"
            .formatted(file.path()),
        e.getMessage());
    assertEquals(EIO, e.error());
    assertEquals(4096, operation.transferred());
    queue.run(operation.toWrite(file, 8192, memory(12_288))); // a write may be tried again
  }

  /// The kernel takes the pages for written after a failed sync: a second one would succeed.
  @Test
  void aFailedSyncPoisonsTheFileAndIsNotTriedAgain() throws Exception {
    queue.run(operation.toWrite(file, 0, memory(4096)));
    engine.next(BROKEN);
    operation.toSync(file);
    DiskException first = assertThrows(DiskException.class, () -> queue.run(operation));
    assertSame(first, file.failedSync());
    int calls = engine.begun.size();
    for (DiskOperation next :
        List.of(
            new DiskOperation().toSync(file), new DiskOperation().toWrite(file, 0, memory(1)))) {
      DiskException e = assertThrows(DiskException.class, () -> queue.run(next));
      assertSame(first, e.getCause());
      assertTrue(e.getMessage().contains(file.path().toString()));
    }
    assertEquals(calls, engine.begun.size());
    assertEquals(4096, queue.run(operation.toRead(file, 0, memory(4096))).transferred());
    DiskFile other =
        queue.open(folder.resolve("other"), DiskFile.Mode.MAKE, DiskFile.Caching.CACHED);
    queue.run(operation.toSync(other));
    assertNull(other.failedSync());
  }

  @Test
  void aSyncWaitsForTheWritesBeforeItAndNotForThoseAfter() throws Exception {
    engine.next(new FaultyEngine.Fate.Held());
    DiskOperation first = new DiskOperation().toWrite(file, 0, memory(4096));
    queue.start(first);
    DiskOperation sync = new DiskOperation().toSync(file);
    queue.start(sync);
    engine.next(new FaultyEngine.Fate.Held());
    DiskOperation after = new DiskOperation().toWrite(file, 4096, memory(4096));
    queue.start(after);
    queue.checkInvariants();
    assertNull(queue.takeNow());
    assertEquals(List.of("WRITE 0+4096", "WRITE 4096+4096"), engine.begun);
    Runnable later = engine.heldAt(1);
    engine.letGo();
    assertSame(first, queue.take().orThrow());
    assertEquals("SYNC 0+0", engine.begun.getLast());
    assertSame(sync, queue.take().orThrow());
    later.run();
    assertSame(after, queue.take().orThrow());
    queue.checkInvariants();
  }

  /// The kernel tells one of two syncs of a lost write.
  @Test
  void syncsThatWaitFailWithTheOneBeforeThem() throws Exception {
    engine.next(new FaultyEngine.Fate.Held(), BROKEN);
    queue.start(new DiskOperation().toWrite(file, 0, memory(4096)));
    queue.start(new DiskOperation().toSync(file));
    queue.start(new DiskOperation().toSync(file));
    engine.letGo();
    queue.take().orThrow();
    DiskException first = queue.take().failure();
    assertNotNull(first);
    DiskException second = queue.take().failure();
    assertNotNull(second);
    assertSame(first, second.getCause());
    assertEquals(List.of("WRITE 0+4096", "SYNC 0+0"), engine.begun);
    queue.checkInvariants();
  }
}
