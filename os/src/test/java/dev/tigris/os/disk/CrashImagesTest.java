package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A file of two copies, of which a header of one sector names the valid one: each crash image is
/// the old version or the new one, and a version that was acknowledged is there.
///
/// ```
///   0         512                     16,896              33,280
///   +---------+-----------------------+-----------------------+
///   | version | even versions, 16 KiB | odd versions, 16 KiB  |
///   +---------+-----------------------+-----------------------+
/// ```
@Timeout(30)
class CrashImagesTest {
  private static final int COPY_BYTES = 16_384;
  private static final int FILE_BYTES = CrashRecorder.SECTOR_BYTES + 2 * COPY_BYTES;
  private static final int PARTS = 4;
  private static final int IMAGES = 20;

  @TempDir Path folder;
  private final CrashRecorder recorder = new CrashRecorder();
  private final DiskQueue queue = new DiskQueue(recorder, 16, null);
  private final Random random = new Random(57);
  private DiskFile file;
  private long acknowledged;
  private int looked;

  @BeforeEach
  void open() throws IOException {
    file = queue.open(folder.resolve("file"), DiskFile.Mode.MAKE, DiskFile.Caching.CACHED);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private static MemorySegment filled(long bytes, long version) {
    MemorySegment memory = Arena.ofAuto().allocate(bytes, 4096);
    for (long at = 0; at < bytes; at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, version);
    }
    return memory;
  }

  /// Looks at what a crash may leave now.
  ///
  /// @return whether an image had a version whose copy is not whole
  private boolean isBroken(long newest) {
    boolean broken = false;
    for (int i = 0; i < IMAGES; i++) {
      ByteBuffer image =
          ByteBuffer.wrap(recorder.image(FILE_BYTES, random)).order(ByteOrder.LITTLE_ENDIAN);
      looked++;
      long version = image.getLong(0);
      assertTrue(version <= newest);
      broken |= version < acknowledged;
      for (int at = 0; version > 0 && at < COPY_BYTES; at += Long.BYTES) {
        broken |= image.getLong(copyAt(version) + at) != version;
      }
    }
    return broken;
  }

  private static int copyAt(long version) {
    return CrashRecorder.SECTOR_BYTES + (int) (version % 2) * COPY_BYTES;
  }

  /// Takes so many operations, and looks at crashes before each.
  private boolean take(int count, long version) throws DiskException {
    boolean broken = false;
    for (int i = 0; i < count; i++) {
      broken |= isBroken(version);
      queue.take().orThrow();
    }
    return broken || isBroken(version);
  }

  private void startCopy(long version) {
    long bytes = COPY_BYTES / PARTS;
    for (int part = 0; part < PARTS; part++) {
      long at = copyAt(version) + part * bytes;
      queue.start(new DiskOperation().toWrite(file, at, filled(bytes, version)));
    }
  }

  private DiskOperation header(long version) {
    return new DiskOperation().toWrite(file, 0, filled(CrashRecorder.SECTOR_BYTES, version));
  }

  @Test
  void everyCrashLeavesTheOldVersionOrTheNewOne() throws Exception {
    for (long version = 1; version <= 20; version++) {
      startCopy(version);
      queue.start(new DiskOperation().toSync(file)); // which waits for the four writes
      boolean broken = take(PARTS + 1, version);
      queue.start(header(version));
      queue.start(new DiskOperation().toSync(file));
      broken |= take(2, version);
      acknowledged = version;
      broken |= isBroken(version);
      assertEquals(false, broken, "version " + version);
    }
    assertTrue(looked > 1000);
  }

  /// The recorder finds a program that does not sync between the copy and the header.
  @Test
  void aProgramWithoutTheFirstSyncIsFoundOut() throws Exception {
    boolean broken = false;
    for (long version = 1; version <= 20 && !broken; version++) {
      startCopy(version);
      broken = take(PARTS, version);
      queue.start(header(version));
      queue.start(new DiskOperation().toSync(file));
      broken |= take(2, version);
    }
    assertTrue(broken);
  }
}
