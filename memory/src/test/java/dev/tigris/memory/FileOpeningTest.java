package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.SystemException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Who deletes a file that was made in vain, when two open it at once.
@EnabledOnOs(OS.LINUX)
class FileOpeningTest {
  private static final int BYTES = 1 << 16;

  /// More rounds than it takes for the second opener to be the first one to lock.
  private static final int MOST_ROUNDS = 2_000;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("data");
  }

  /// A way to the file that takes the system long to follow: between the making of the file and
  /// its locking another opener has time.
  private Path longWay() throws Exception {
    Path inner = Files.createDirectories(folder.resolve("x"));
    StringBuilder way = new StringBuilder(inner.toString());
    while (way.length() < 3_500) {
      way.append("/../x");
    }
    return Path.of(way + "/../data");
  }

  /// Opens the file as soon as it is there, and shares its lock, as an opener does that is about to
  /// map it. Returns the descriptor, or -1 if the maker was quicker.
  private int shareAsSoonAsItIsThere(CountDownLatch looking, AtomicBoolean isOver)
      throws SystemException {
    looking.countDown();
    while (!Files.exists(file())) {
      if (isOver.get()) {
        return -1;
      }
      Thread.onSpinWait();
    }
    int descriptor;
    try {
      descriptor = FileDescriptors.open(file(), true);
    } catch (SystemException e) {
      return -1; // it is deleted already
    }
    if (FileLocks.tryToLock(descriptor, true)) {
      return descriptor;
    }
    FileDescriptors.close(descriptor);
    return -1;
  }

  @Test
  void leavesAFileThatAnotherIsAboutToMap() throws Exception {
    Path way = longWay();
    int other = -1;
    try (ExecutorService others = Executors.newSingleThreadExecutor()) {
      for (int round = 0; round < MOST_ROUNDS && other < 0; round++) {
        CountDownLatch looking = new CountDownLatch(1);
        AtomicBoolean isOver = new AtomicBoolean();
        Future<Integer> sharing = others.submit(() -> shareAsSoonAsItIsThere(looking, isOver));
        looking.await();
        Thread.currentThread().interrupt(); // so that it fails before the file has a size
        assertThrows(ClosedByInterruptException.class, () -> Jbuf.map(way, Mapping.SHARED, BYTES));
        assertTrue(Thread.interrupted());
        isOver.set(true);
        other = sharing.get();
      }
    }
    assertTrue(other >= 0, "the other one was never the first");
    assertTrue(FileOpening.isNameOf(file(), other), "the other one maps a file without a name");
    assertEquals(0, Files.size(file()));
    FileDescriptors.close(other);
    try (Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES)) {
      assertEquals(BYTES, jbuf.capacityBytes());
    }
  }

  @Test
  void deletesAFileThatItHasMadeForItself() {
    Thread.currentThread().interrupt();
    assertThrows(ClosedByInterruptException.class, () -> Jbuf.map(file(), Mapping.SHARED, BYTES));
    assertTrue(Thread.interrupted());
    assertTrue(Files.notExists(file()));
  }
}
