package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.MappingTest.Entry;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.OpenFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What other processes do to a file, and a mapping of it.
class SnapshotTest {
  private static final int BYTES = 1 << 20;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("data");
  }

  @Test
  void hasTheLastFlushOfAFileThatIsDurableElsewhere() throws Exception {
    try (Jbuf durable = Jbuf.map(file(), Mapping.DURABLE, BYTES)) {
      Longs longs = durable.asLongs();
      longs.set(7, 1);
      durable.flush();
      longs.set(7, 2);
      try (Jbuf snapshot = Jbuf.map(file(), Mapping.SNAPSHOT)) {
        assertEquals(1, snapshot.asLongs().get(7));
        snapshot.asLongs().set(7, 3);
        durable.flush();
        assertEquals(3, snapshot.asLongs().get(7), "it is its own copy");
        assertThrows(UnsupportedOperationException.class, snapshot::flush);
      }
      assertEquals(2, Jbuf.map(file(), Mapping.SNAPSHOT).asLongs().get(7));
    }
  }

  /// Gives all longs of a file one value after the other, each with a flush.
  static final class Flusher {
    public static void main(String[] arguments) throws IOException {
      try (Jbuf jbuf = Jbuf.map(Path.of(arguments[0]), Mapping.DURABLE, BYTES)) {
        Longs longs = jbuf.asLongs();
        System.out.println("ready");
        for (long value = 1; value < 1_000_000; value++) {
          longs.fill(value);
          jbuf.flush();
        }
      }
    }
  }

  @Test
  void isNeverHalfOfAFlush() throws Exception {
    try (Child flusher = Jvm.of(Flusher.class).quick().command(file().toString()).start()) {
      flusher.expectLine("ready");
      long first = -1;
      long last = -1;
      for (int round = 0; round < 100 && last - first < 3; round++) {
        try (Jbuf snapshot = Jbuf.map(file(), Mapping.SNAPSHOT)) {
          Longs longs = snapshot.asLongs();
          last = longs.get(0);
          first = first < 0 ? last : first;
          for (long i = 0; i < longs.length(); i++) {
            assertEquals(last, longs.get(i), "round " + round);
          }
        }
      }
      assertTrue(last > first, "the flushes went on");
      flusher.kill();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void letsAFlushHaveItsTurnThoughSnapshotsOverlap() throws Exception {
    try (Jbuf durable = Jbuf.map(file(), Mapping.DURABLE, BYTES);
        ExecutorService others = Executors.newCachedThreadPool()) {
      durable.asLongs().set(7, 1);
      durable.flush();
      durable.asLongs().set(7, 2);
      int reading = FileDescriptors.open(file().toRealPath(), false);
      FileLocks.lockForSnapshot(file(), reading);
      int looking = FileDescriptors.open(file().toRealPath(), false);
      Future<?> flushing =
          others.submit(
              () -> {
                durable.flush();
                return true;
              });
      Wait.until("the flush waits", () -> isTurnstileTaken(looking));
      // Whenever this one begins to read, the flush has been there.
      Future<Jbuf> next = others.submit(() -> Jbuf.map(file(), Mapping.SNAPSHOT));
      assertThrows(TimeoutException.class, () -> next.get(50, TimeUnit.MILLISECONDS));
      assertFalse(flushing.isDone());
      FileDescriptors.close(reading);
      assertEquals(2, next.get().asLongs().get(7));
      flushing.get();
      assertFalse(isTurnstileTaken(looking), "it is given up");
      FileDescriptors.close(looking);
    }
  }

  /// Locks a whole file, as a program does that guards what it writes to it.
  static final class Guard {
    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(arguments[0]);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        System.out.println(lock.isValid() ? "locked" : "not locked");
        int _ = System.in.read();
      }
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void worksWhileAnotherProgramLocksTheWholeFile() throws Exception {
    Command guard = Jvm.of(Guard.class).quick().command(file().toString());
    try (Jbuf durable = Jbuf.map(file(), Mapping.DURABLE, BYTES);
        Child locking = guard.start();
        ExecutorService others = Executors.newCachedThreadPool()) {
      locking.expectLine("locked");
      durable.asLongs().set(7, 1);
      durable.flush();
      try (Jbuf snapshot = Jbuf.map(file(), Mapping.SNAPSHOT)) {
        assertEquals(1, snapshot.asLongs().get(7));
      }
      int reading = FileDescriptors.open(file().toRealPath(), false);
      FileLocks.lockForSnapshot(file(), reading);
      durable.asLongs().set(7, 2);
      Future<Boolean> flushing =
          others.submit(
              () -> {
                durable.flush();
                return true;
              });
      assertThrows(TimeoutException.class, () -> flushing.get(50, TimeUnit.MILLISECONDS));
      FileDescriptors.close(reading);
      assertTrue(flushing.get(10, TimeUnit.SECONDS), "the reader was all that it waited for");
      assertEquals(2, Jbuf.map(file(), Mapping.SNAPSHOT).asLongs().get(7));
      locking.kill();
    }
  }

  private static boolean isTurnstileTaken(int descriptor) throws IOException {
    boolean isFree = FileLocks.lockTurnstile(descriptor, true);
    if (isFree) {
      FileDescriptors.unlockByte(descriptor, FileLocks.TURNSTILE_AT);
    }
    return !isFree;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void flushesWhileThereIsAlwaysAReader() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicLong begun = new AtomicLong();
    try (Jbuf durable = Jbuf.map(file(), Mapping.DURABLE, BYTES);
        ExecutorService others = Executors.newCachedThreadPool()) {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        readers.add(
            others.submit(
                () -> {
                  readInTurn(begun, isOver);
                  return true;
                }));
      }
      Wait.until("they read", () -> begun.get() > 10);
      try {
        for (int round = 0; round < 5; round++) {
          durable.asLongs().set(0, round);
          durable.flush();
        }
      } finally {
        isOver.set(true);
      }
      for (Future<?> each : readers) {
        each.get();
      }
    }
  }

  /// Reads until the next reader does, as long as no flush keeps that one waiting.
  private void readInTurn(AtomicLong begun, AtomicBoolean isOver) throws IOException {
    while (!isOver.get()) {
      int descriptor = FileDescriptors.open(file().toRealPath(), false);
      try {
        FileLocks.lockForSnapshot(file(), descriptor);
        long own = begun.incrementAndGet();
        boolean _ = Wait.isMet(Duration.ofMillis(20), () -> begun.get() > own || isOver.get());
      } finally {
        FileDescriptors.close(descriptor);
      }
    }
  }

  /// A process has opened the file for a snapshot, and waits for a flush to end. Meanwhile another
  /// file takes the name, and a flush of that one is half done: its journal is not for the file
  /// that was opened.
  @Test
  void readsAFileAgainThatIsReplacedMeanwhile() throws Exception {
    Path journal = Journal.pathFor(file());
    Path fresh = folder.resolve("fresh");
    int page = (int) FilePages.pageBytes();
    try (Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES)) {
      jbuf.asLongs().fill(1);
      jbuf.flush();
    }
    Longs next = Jbuf.allocate(BYTES).asLongs();
    next.fill(2);
    Files.write(fresh, next.segment().toArray(ValueLayout.JAVA_BYTE));
    next.set(0, 3);
    try (Journal half = Journal.own(fresh)) {
      half.record(new long[] {0}, next.address, page, BYTES);
    }
    int flushing = FileDescriptors.open(file().toRealPath(), true);
    assertTrue(FileLocks.tryToLock(flushing, false));
    OpenFiles before = OpenFiles.now();
    try (ExecutorService others = Executors.newSingleThreadExecutor()) {
      Future<Jbuf> reading = others.submit(() -> Jbuf.map(file(), Mapping.SNAPSHOT));
      Wait.until("it has opened the file", () -> opened(before) == 2);
      Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE);
      Files.move(Journal.pathFor(fresh), journal, StandardCopyOption.ATOMIC_MOVE);
      FileDescriptors.close(flushing);
      Bytes read = reading.get().asBytes();
      assertEquals(3, read.getLong(0));
      assertEquals(2, read.getLong(page), "it is one file");
    }
  }

  private long opened(OpenFiles before) throws IOException {
    String real = file().toRealPath().toString();
    return before.opened().stream().filter(each -> each.endsWith(" " + real)).count();
  }

  @Test
  void staysWholeWhenTheFileIsCut() throws Exception {
    try (Jbuf shared = Jbuf.map(file(), Mapping.SHARED, BYTES)) {
      shared.asLongs().fill(5);
    }
    Jbuf snapshot = Jbuf.map(file(), Mapping.SNAPSHOT, BYTES + 100);
    try (RandomAccessFile cut = new RandomAccessFile(file().toFile(), "rw")) {
      cut.setLength(0);
    }
    assertEquals(BYTES + 100, snapshot.capacityBytes());
    Bytes bytes = snapshot.asBytes();
    assertEquals(5, bytes.getLong(BYTES - 8));
    assertEquals(0, bytes.getLong(BYTES));
  }

  @Test
  void saysOfAFileThatOthersHaveMadeLargerThatItMustBeMappedAgain() throws Exception {
    try (Jbuf small = Jbuf.map(file(), Mapping.SHARED, 8192);
        Jbuf large = Jbuf.map(file(), Mapping.SHARED, 1 << 16)) {
      Container here = small.asContainer();
      Container there = large.asContainer();
      Entry entry = new Entry(there);
      there.root(entry);
      while (there.usedBytes() < 10_000) {
        entry.next = new Entry(there);
      }
      OutgrownMappingException e = assertThrows(OutgrownMappingException.class, here::usedBytes);
      assertTrue(e.getMessage().contains("map the file again"), e.getMessage());
      Entry same = here.root(Entry.class);
      assertThrows(OutgrownMappingException.class, () -> same.next.hashCode());
      assertThrows(OutgrownMappingException.class, () -> new Entry(here));
    }
  }
}
