package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.SystemException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A queue with files of this host and of another one, which a test plays.
class RemoteEngineTest {
  private static final int BYTES = 4096;

  @TempDir private Path folder;

  private final Queue<Transfer> begun = new ArrayDeque<>();
  private final AtomicInteger releases = new AtomicInteger();

  /// A transfer that waits for its end.
  private record Transfer(
      DiskOperation.Kind kind,
      long position,
      MemorySegment part,
      double progress,
      RemoteFile.Ending ending) {}

  private final class Elsewhere implements RemoteFile {
    private boolean isCancelled;
    private boolean isClosed;

    @Override
    public Runnable begin(
        DiskOperation.Kind kind,
        long position,
        MemorySegment part,
        double progress,
        Ending ending) {
      begun.add(new Transfer(kind, position, part, progress, ending));
      return () -> isCancelled = true;
    }

    @Override
    public long size() {
      return 1L << 40;
    }

    @Override
    public void resize(long bytes) {}

    @Override
    public void close() {
      isClosed = true;
    }
  }

  /// Ends the first transfer by another thread, as all are.
  private void end(int result, byte value) throws InterruptedException {
    Transfer first = begun.remove();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  MemorySegment bytes = Arena.ofAuto().allocate(Math.max(1, result), 1).fill(value);
                  first.ending.ended(result, bytes, releases::incrementAndGet);
                });
    other.join();
  }

  private static RemoteEngine engine(DiskQueue.Way way) throws SystemException {
    return new RemoteEngine(way == DiskQueue.Way.PLAIN ? new PlainEngine(4) : new UringEngine());
  }

  private static DiskFile open(DiskQueue queue, RemoteEngine engine, RemoteFile file) {
    Path path = Path.of("h1:/data");
    return new DiskFile(queue, path, DiskFile.Mode.WRITE, file, engine.add(file));
  }

  @ParameterizedTest
  @EnumSource(DiskQueue.Way.class)
  void filesOfTwoHostsAreReadInOneWait(DiskQueue.Way way) throws Exception {
    Path here = Files.write(folder.resolve("here"), new byte[BYTES]);
    RemoteEngine engine = engine(way);
    try (DiskQueue queue = new DiskQueue(engine, 4, null)) {
      var file = new Elsewhere();
      DiskFile there = open(queue, engine, file);
      DiskFile own = queue.open(here, DiskFile.Mode.READ, DiskFile.Caching.CACHED);
      MemorySegment memory = Arena.ofAuto().allocate(2 * BYTES, BYTES);
      var far = new DiskOperation();
      queue.start(far.toRead(there, 77, memory.asSlice(0, BYTES)).at(0.25));
      queue.start(new DiskOperation().toRead(own, 0, memory.asSlice(BYTES)));
      queue.submit();
      assertEquals(own, queue.take().orThrow().file());
      assertEquals(0.25, begun.element().progress);
      end(1000, (byte) 3); // a short one goes on where it ended
      assertEquals(null, queue.takeNow());
      assertEquals(1077, begun.element().position);
      Thread later = Thread.ofPlatform().start(() -> endQuietly(BYTES - 1000));
      assertEquals(BYTES, queue.take().orThrow().transferred());
      later.join();
      assertEquals(3, memory.get(ValueLayout.JAVA_BYTE, 999));
      assertEquals(4, memory.get(ValueLayout.JAVA_BYTE, 1000));
      assertEquals(2, releases.get());
      queue.checkInvariants();
      there.close();
      assertTrue(file.isClosed);
    }
  }

  private void endQuietly(int result) {
    try {
      end(result, (byte) 4);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aCancelledReadIsOverAtOnceAndItsMemoryIsNotWritten() throws Exception {
    RemoteEngine engine = engine(DiskQueue.Way.PLAIN);
    MemorySegment memory = Arena.ofAuto().allocate(BYTES);
    var file = new Elsewhere();
    DiskQueue queue = new DiskQueue(engine, 1, null);
    DiskFile there = open(queue, engine, file);
    DiskOperation read = new DiskOperation().toRead(there, 0, memory);
    queue.start(read);
    queue.cancel(read);
    assertTrue(file.isCancelled);
    DiskException failure = queue.take().failure();
    assertTrue(failure != null && failure.isCancelled());
    Transfer late = begun.element();
    end(BYTES, (byte) 9);
    queue.start(read.toRead(there, 0, memory)); // in the place of the other one
    assertEquals(null, queue.takeNow());
    assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(1, releases.get());
    assertFalse(begun.contains(late));
    end(-SystemException.HOST_DOWN, (byte) 0);
    String told = String.valueOf(queue.take().failure());
    assertTrue(told.contains("h1:/data (Host is down)"), told);
    queue.start(read.toWrite(there, 0, memory));
    queue.cancel(read);
    assertEquals(read, queue.take());
    there.close();
    queue.close();
    end(BYTES, (byte) 9); // after the end of the queue
    assertEquals(3, releases.get());
  }

  @Test
  void namesOfOtherHostsAreToldFromOthers() {
    assertTrue(FileHost.isElsewhere(Path.of("h1:/a")));
    assertTrue(FileHost.isElsewhere(Path.of("[::1]:7411:/a/b")));
    assertFalse(FileHost.isElsewhere(Path.of("/h1:/a")));
    assertFalse(FileHost.isElsewhere(Path.of("h1:a/b")));
    assertFalse(FileHost.isElsewhere(Path.of(":/a")));
    assertFalse(FileHost.isElsewhere(Path.of("h1:")));
    assertEquals("h1:7411", FileHost.hostOf(Path.of("h1:7411:/a/b")));
    assertEquals(Path.of("/a/b"), FileHost.there(Path.of("h1:7411:/a/b")));
  }
}
