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
import dev.tigris.os.WaitSource;
import dev.tigris.os.Waiter;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// The contract of disk queues, on both engines, with the page cache and around it.
@ParameterizedClass
@MethodSource("settings")
@Timeout(30)
class DiskQueueTest {
  record Setting(DiskQueue.Way way, DiskFile.Caching caching) {}

  static Stream<Setting> settings() {
    return Stream.of(DiskQueue.Way.values())
        .flatMap(
            way -> Stream.of(DiskFile.Caching.values()).map(caching -> new Setting(way, caching)));
  }

  @Parameter Setting setting;
  @TempDir Path folder;
  private DiskQueue queue;

  @BeforeEach
  void open() {
    queue = open(64);
  }

  private DiskQueue open(int depth) {
    try {
      return DiskQueue.open(setting.way, depth);
    } catch (SystemException | UnsupportedOperationException e) {
      Assumptions.abort("io_uring is missing here, or forbidden: " + e.getMessage());
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private DiskFile make(String name) throws IOException {
    return queue.open(folder.resolve(name), DiskFile.Mode.MAKE, setting.caching);
  }

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 4096);
  }

  private static MemorySegment random(Random random, int bytes) {
    byte[] data = new byte[bytes];
    random.nextBytes(data);
    MemorySegment memory = memory(bytes + 64L).asSlice(random.nextInt(2) * 8L, bytes);
    return memory.copyFrom(MemorySegment.ofArray(data));
  }

  private static byte[] bytes(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_BYTE);
  }

  /// Every position, size and address, those that direct I/O would refuse among them.
  @Test
  void readsWhatWasWrittenAtAnyPositionAndOfAnySize() throws Exception {
    Random random = new Random(57);
    byte[] expected = new byte[100_000];
    DiskFile file = make("any");
    DiskOperation operation = new DiskOperation();
    queue.run(operation.toWrite(file, 0, memory(100_000)));
    for (int i = 0; i < 200; i++) {
      boolean whole = random.nextBoolean();
      int at = whole ? random.nextInt(20) * 4096 : random.nextInt(90_000);
      int size = 1 + random.nextInt(whole ? 18_000 : expected.length - at);
      MemorySegment data = random(random, size);
      System.arraycopy(bytes(data), 0, expected, at, size);
      assertEquals(size, queue.run(operation.toWrite(file, at, data)).transferred());
      int from = random.nextInt(expected.length);
      MemorySegment back = memory(1 + random.nextInt(expected.length - from));
      queue.run(operation.toRead(file, from, back));
      assertArrayEquals(
          Arrays.copyOfRange(expected, from, from + (int) back.byteSize()), bytes(back));
      queue.checkInvariants();
    }
    queue.run(operation.toSync(file));
    file.close();
    assertArrayEquals(expected, Files.readAllBytes(folder.resolve("any")));
  }

  @Test
  void hasSeveralOperationsUnderWayAndReturnsEachOnce() throws Exception {
    int blocks = 256;
    DiskFile file = make("several");
    MemorySegment all = memory(64 * 4096L);
    boolean _ = queue.register(all);
    Set<DiskOperation> taken = new HashSet<>();
    int started = 0;
    while (taken.size() < blocks) {
      while (started < blocks && queue.room() > 0) {
        MemorySegment block = all.asSlice((started % 64) * 4096L, 4096);
        block.fill((byte) 7);
        queue.start(new DiskOperation().toWrite(file, started * 4096L, block));
        started++;
      }
      queue.checkInvariants();
      assertTrue(taken.add(queue.take().orThrow()));
    }
    assertEquals(0, queue.underWay());
    assertEquals(blocks * 4096L, file.size());
    byte[] written = Files.readAllBytes(folder.resolve("several"));
    for (byte each : written) {
      assertEquals(7, each);
    }
  }

  @Test
  void endsAReadWithTheFile() throws Exception {
    Path path = Files.write(folder.resolve("short"), new byte[10_000]);
    DiskFile file = queue.open(path, DiskFile.Mode.READ, setting.caching);
    DiskOperation read = new DiskOperation();
    assertEquals(10_000, queue.run(read.toRead(file, 0, memory(16_384))).transferred());
    assertEquals(1_808, queue.run(read.toRead(file, 8192, memory(4096))).transferred());
    assertEquals(0, queue.run(read.toRead(file, 40_960, memory(4096))).transferred());
    assertThrows(IllegalArgumentException.class, () -> read.toWrite(file, 0, memory(1)));
    assertThrows(IllegalArgumentException.class, () -> read.toSync(file));
  }

  /// A file that other programs change is read as it is then. Its name may be another's meanwhile.
  @Test
  void readsAFileThatGrowsShrinksAndIsReplaced() throws Exception {
    Path path = Files.write(folder.resolve("changing"), filled(8192, 1));
    DiskFile file = queue.open(path, DiskFile.Mode.READ, setting.caching);
    DiskOperation read = new DiskOperation();
    MemorySegment memory = memory(16_384);
    assertEquals(8192, queue.run(read.toRead(file, 0, memory)).transferred());
    Path _ = Files.write(path, filled(8192, 2), StandardOpenOption.APPEND);
    assertEquals(16_384, queue.run(read.toRead(file, 0, memory)).transferred());
    assertEquals(2, memory.get(ValueLayout.JAVA_BYTE, 16_383));
    assertEquals(16_384, file.size());
    try (var cut = FileChannel.open(path, StandardOpenOption.WRITE)) {
      var _ = cut.truncate(5000);
    }
    assertEquals(5000, queue.run(read.toRead(file, 0, memory)).transferred());
    assertEquals(0, queue.run(read.toRead(file, 8192, memory)).transferred());
    Path other = Files.write(folder.resolve("other"), filled(16_384, 3));
    Path _ = Files.move(other, path, StandardCopyOption.REPLACE_EXISTING);
    assertEquals(5000, queue.run(read.toRead(file, 0, memory)).transferred());
    assertEquals(1, memory.get(ValueLayout.JAVA_BYTE, 0));
  }

  private static byte[] filled(int bytes, int value) {
    byte[] all = new byte[bytes];
    Arrays.fill(all, (byte) value);
    return all;
  }

  @Test
  void syncsWhatWasStartedBefore() throws Exception {
    DiskFile file = make("sync");
    List<DiskOperation> before = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      DiskOperation write = new DiskOperation().toWrite(file, i * 8192L, memory(8192));
      before.add(write);
      queue.start(write);
    }
    DiskOperation sync = new DiskOperation().toSync(file);
    queue.start(sync);
    queue.start(new DiskOperation().toWrite(file, 1 << 20, memory(4096)));
    queue.checkInvariants();
    Set<DiskOperation> taken = new HashSet<>();
    for (int i = 0; i < 18; i++) {
      DiskOperation next = queue.take().orThrow();
      if (next.equals(sync)) {
        assertTrue(taken.containsAll(before));
      }
      assertTrue(taken.add(next));
    }
  }

  @Test
  void saysWhichFileAndPositionHadNoRoom() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(folder, 1 << 20)) {
      Path path = disk.folder().resolve("full");
      try (DiskQueue own = open(4)) {
        DiskFile file = own.open(path, DiskFile.Mode.MAKE, setting.caching);
        DiskOperation write = new DiskOperation().toWrite(file, 0, memory(2 << 20));
        DiskException e = assertThrows(DiskException.class, () -> own.run(write));
        assertTrue(e.isForWantOfRoom());
        assertEquals(path, e.file());
        assertTrue(e.getMessage().contains("could not write 2097152 bytes at 0 of " + path));
        assertTrue(write.transferred() < 2 << 20);
        assertTrue(own.run(write.toWrite(file, 0, memory(4096))).transferred() == 4096);
      }
    }
  }

  @Test
  void refusesWhatHasNoPositions() {
    for (String path : List.of("/dev/null", folder.toString())) {
      IOException e =
          assertThrows(
              IOException.class,
              () -> queue.open(Path.of(path), DiskFile.Mode.READ, setting.caching));
      assertTrue(e.getMessage().contains(path), e.getMessage());
    }
    Path missing = folder.resolve("missing");
    assertThrows(
        SystemException.class, () -> queue.open(missing, DiskFile.Mode.READ, setting.caching));
  }

  @Test
  void refusesMisuse() throws Exception {
    DiskFile file = make("misuse");
    DiskOperation write = new DiskOperation().toWrite(file, 0, memory(4096));
    assertThrows(IllegalStateException.class, queue::take);
    queue.start(write);
    assertThrows(IllegalStateException.class, () -> queue.start(write));
    assertThrows(IllegalStateException.class, () -> write.toRead(file, 0, memory(1)));
    assertThrows(IllegalStateException.class, file::close);
    assertSame(write, queue.take().orThrow());
    assertThrows(IllegalStateException.class, () -> queue.start(write));
    assertThrows(IllegalArgumentException.class, () -> write.toRead(file, -1, memory(1)));
    assertThrows(
        IllegalArgumentException.class,
        () -> write.toRead(file, 0, MemorySegment.ofArray(new byte[1])));
    try (DiskQueue other = open(1)) {
      assertThrows(IllegalArgumentException.class, () -> other.start(write.toSync(file)));
      DiskFile own = other.open(file.path(), DiskFile.Mode.WRITE, setting.caching);
      other.start(new DiskOperation().toWrite(own, 0, memory(1)));
      assertThrows(
          IllegalStateException.class,
          () -> other.start(new DiskOperation().toWrite(own, 1, memory(1))));
    } // which waits for the write
    List<Throwable> failures = new ArrayList<>();
    Thread thread = Thread.ofPlatform().start(() -> failures.add(failure(queue::submit)));
    thread.join();
    assertTrue(failures.getFirst() instanceof IllegalStateException);
    file.close();
    assertThrows(IllegalStateException.class, file::size);
  }

  private static Throwable failure(Runnable action) {
    try {
      action.run();
      throw new AssertionError("nothing was refused");
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void anInterruptEndsNoOperation() throws Exception {
    DiskFile file = make("interrupted");
    Thread.currentThread().interrupt();
    try {
      queue.run(new DiskOperation().toWrite(file, 0, memory(4096)));
      queue.run(new DiskOperation().toSync(file));
    } finally {
      assertTrue(Thread.interrupted());
    }
    assertEquals(4096, file.size());
  }

  /// Parks the thread as streams in memory do.
  private static final class Parked implements WaitSource {
    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;

    @Override
    public boolean poll() {
      return false;
    }

    @Override
    public boolean arm(WaitSource host) {
      return true;
    }

    @Override
    public void disarm() {}

    @Override
    public void park(long nanos) {
      if (!woken) {
        LockSupport.parkNanos(this, nanos);
      }
      woken = false;
    }

    @Override
    public void wake() {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  @Test
  void isWaitedForWithOtherSources() throws Exception {
    DiskFile file = make("waited");
    Parked parked = new Parked();
    for (Waiter waiter :
        List.of(new Waiter(queue, List.of(parked)), new Waiter(parked, List.of(queue)))) {
      assertFalse(waiter.await(1_000_000), "nothing is under way");
      for (int i = 0; i < 50; i++) {
        DiskOperation write = new DiskOperation().toWrite(file, i * 4096L, memory(4096));
        queue.start(write);
        assertTrue(waiter.await(10_000_000_000L));
        assertSame(write, queue.takeNow());
        assertNull(queue.takeNow());
      }
    }
  }

  @Test
  void aParkIsEndedByAnyThread() {
    Waiter waiter = new Waiter(queue, List.of(new Parked()));
    Thread waker = Thread.ofPlatform().start(queue::wake);
    assertFalse(waiter.await(20_000_000));
    assertFalse(waker.isInterrupted());
  }

  @Test
  void opensABlockDeviceByNameUnlessItIsInUse() throws Exception {
    Needs.root("a loop device");
    Path image = folder.resolve("image");
    Command.of("truncate", "-s", "4M", image.toString()).output();
    Command attach = Command.of("losetup", "--find", image.toString());
    Assumptions.assumeTrue(attach.succeeds(), "there is no loop device");
    String device = Command.of("losetup", "-j", image.toString()).output().split(":", 2)[0];
    try {
      DiskFile disk = queue.open(Path.of(device), DiskFile.Mode.WRITE, setting.caching);
      assertTrue(disk.isDevice());
      assertEquals(4 << 20, disk.size());
      MemorySegment data = random(new Random(1), 10_000);
      DiskOperation operation = new DiskOperation();
      queue.run(operation.toWrite(disk, 5000, data));
      queue.run(operation.toSync(disk));
      MemorySegment back = memory(10_000);
      queue.run(operation.toRead(disk, 5000, back));
      assertArrayEquals(bytes(data), bytes(back));
      DiskException end =
          assertThrows(
              DiskException.class, () -> queue.run(operation.toWrite(disk, 4 << 20, memory(4096))));
      assertTrue(end.isForWantOfRoom(), end.getMessage());
      disk.close();
      byte[] below = Files.readAllBytes(image);
      assertArrayEquals(bytes(data), Arrays.copyOfRange(below, 5000, 15_000));
    } finally {
      Command.of("losetup", "-d", device).output();
    }
  }

  @Test
  void saysHowItWorks() {
    assertNotNull(queue.way());
    assertNull(queue.obstacle());
    try (DiskQueue best = DiskQueue.open(1)) {
      assertTrue(best.obstacle() == null || best.way().startsWith("plain"));
    }
  }
}
