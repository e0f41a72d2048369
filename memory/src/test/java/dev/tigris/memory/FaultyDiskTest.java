package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.host.FaultyDisk;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Mapped files on disks that are full, that fail, and that lack an operation.
@EnabledOnOs(OS.LINUX)
class FaultyDiskTest {
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOLCK = 37;
  private static final int EOPNOTSUPP = 95;

  private static final int PAGE = 4096;
  private static final int BYTES = 64 * PAGE;

  @TempDir private Path temporary;

  private static Path withHoles(Path folder, long bytes) throws IOException {
    Path file = folder.resolve("holes");
    try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(bytes);
    }
    return file;
  }

  /// Takes all the room of a disk, and what it keeps for root.
  private static Path fill(Path folder) throws IOException {
    Path filler = folder.resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      for (byte[] bytes = new byte[PAGE]; true; ) {
        out.write(bytes);
      }
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("No space left"), e.getMessage());
      return filler;
    }
  }

  private static long blocks(Path file) {
    return Long.parseLong(Command.of("stat", "--format=%b", file.toString()).output().strip());
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.startsWith(".") && !name.equals("lost+found"))
          .sorted()
          .toList();
    }
  }

  private static void storeToEachPage(Jbuf jbuf) {
    Bytes bytes = jbuf.asBytes();
    for (long at = 0; at < bytes.capacityBytes(); at += PAGE) {
      bytes.setLong(at, bytes.getLong(at) | 1L << 40);
    }
  }

  @Test
  void refusesAFileWithHolesThatTheDiskHasNoRoomFor() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(temporary, 4 << 20)) {
      Path file = withHoles(disk.folder(), 2 << 20);
      Path filler = fill(disk.folder());
      IOException refused = assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SHARED));
      assertTrue(refused.getMessage().contains("has holes"), refused.getMessage());
      assertTrue(refused.getMessage().contains("2097152 of its 2097152"), refused.getMessage());
      assertEquals(0, blocks(file), "nothing of the disk was taken");
      Files.delete(filler);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.SHARED)) {
        assertEquals((2 << 20) / 512, blocks(file));
        Path _ = fill(disk.folder());
        storeToEachPage(jbuf);
        jbuf.flush();
      }
    }
  }

  @Test
  void flushesNothingOfAFileWithHolesUntilThereIsRoomForAll() throws Exception {
    try (SmallDisk disk = SmallDisk.ext4(temporary, 16 << 20)) {
      Path file = withHoles(disk.folder(), BYTES);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE)) {
        Path filler = fill(disk.folder());
        storeToEachPage(jbuf);
        IOException refused = assertThrows(IOException.class, jbuf::flush);
        assertTrue(refused.getMessage().contains("nothing was flushed"), refused.getMessage());
        assertArrayEquals(new byte[BYTES], Files.readAllBytes(file));
        assertEquals(Long.BYTES, Files.size(Journal.pathFor(file)));
        Files.delete(filler);
        jbuf.flush();
        assertEquals(1, Files.readAllBytes(file)[BYTES - PAGE + 5]);
      }
    }
  }

  @Test
  void vouchesForNoStoreOnAFullDiskThatCannotReserve() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = withHoles(disk.folder(), BYTES);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.SHARED)) { // it says so, and goes on
        jbuf.asBytes().setLong(0, 1);
        jbuf.flush();
        disk.faults("room=" + 2 * PAGE);
        storeToEachPage(jbuf);
        assertThrows(IOException.class, jbuf::flush);
        disk.faults();
        IOException later = assertThrows(IOException.class, jbuf::flush);
        assertTrue(later.getMessage().contains("an earlier flush"), later.getMessage());
        assertTrue(later.getMessage().contains("map it again"), later.getMessage());
      }
      try (Jbuf again = Jbuf.map(file, Mapping.SHARED)) {
        storeToEachPage(again);
        again.flush();
      }
    }
  }

  @Test
  void keepsAFlushInItsJournalThatTheFileHasNoRoomFor() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = withHoles(disk.folder(), BYTES);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE)) {
        storeToEachPage(jbuf);
        disk.faults("room=" + (BYTES + 8 * PAGE)); // for the journal, and some of the file
        IOException failed = assertThrows(IOException.class, jbuf::flush);
        assertTrue(
            failed.getMessage().contains("journal has the whole flush"), failed.getMessage());
        byte[] snapshot = bytesOf(Jbuf.map(file, Mapping.SNAPSHOT));
        assertEquals(1, snapshot[BYTES - PAGE + 5], "a snapshot has what the journal has");
        disk.faults();
        jbuf.flush();
        assertArrayEquals(snapshot, Files.readAllBytes(file));
      }
    }
  }

  private static byte[] bytesOf(Jbuf jbuf) {
    return jbuf.asBytes().segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  /// Reads a file whose disk fails.
  static final class Reader {
    public static void main(String[] arguments) throws IOException {
      Schema schema = Schema.ofTable(MappingTest.Entry.class);
      Path file = Path.of(arguments[0]);
      try {
        schema.validate(Jbuf.map(file, Mapping.PRIVATE, 0, schema).asContainer());
      } catch (CorruptContainerException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void saysThatADiskFailedAndNotThatTheFileWasCut() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = disk.folder().resolve("file");
      Schema schema = Schema.ofTable(MappingTest.Entry.class);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, BYTES, schema)) {
        Container container = jbuf.asContainer();
        PsoTable<MappingTest.Entry> table =
            new PsoTable<>(container, MappingTest.Entry.class, BYTES / 64);
        container.root(table);
        for (int i = 0; i < BYTES / 64; i++) {
          table.add().name.set("name");
        }
        jbuf.flush();
      }
      Jbuf copy = Jbuf.map(file, Mapping.SNAPSHOT, 0, schema);
      disk.faults("readfrom=" + 2 * PAGE);
      String said = Jvm.of(Reader.class).options("-Xint").command(file.toString()).output();
      assertTrue(said.contains("could not be read"), said);
      IOException failed = assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SNAPSHOT));
      assertTrue(failed.getMessage().contains("Input/output error"), failed.getMessage());
      schema.validate(copy.asContainer()); // all of it is here
    }
  }

  private static Path holding(Path file, long value) throws IOException {
    byte[] bytes = new byte[2 * PAGE];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
    return Files.write(file, bytes);
  }

  @Test
  void readsAFileOnceThatLosesItsNameMeanwhile() throws Exception {
    try (ExecutorService others = Executors.newSingleThreadExecutor();
        FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = holding(disk.folder().resolve("file"), 1);
      Path next = holding(disk.folder().resolve("next"), 2);
      disk.faults("hold=" + 2 * PAGE);
      Future<Jbuf> first = others.submit(() -> Jbuf.map(file, Mapping.SNAPSHOT));
      disk.awaitHeldRead();
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      disk.faults();
      assertEquals(
          1,
          first.get(10, TimeUnit.SECONDS).asLongs().get(0),
          "it is whole, and is not read again");

      disk.faults("hold=" + 2 * PAGE);
      Future<Jbuf> second = others.submit(() -> Jbuf.map(file, Mapping.SNAPSHOT));
      disk.awaitHeldRead();
      Files.delete(file);
      disk.faults();
      assertEquals(2, second.get(10, TimeUnit.SECONDS).asLongs().get(0));
    }
  }

  @Test
  void readsAFileNotForEverWhoseJournalMayBeAnothers() throws Exception {
    try (ExecutorService others = Executors.newSingleThreadExecutor();
        FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = holding(disk.folder().resolve("file"), 1);
      Files.write(Journal.pathFor(file), new byte[PAGE]);
      disk.faults("hold=" + 2 * PAGE);
      Future<Jbuf> reading = others.submit(() -> Jbuf.map(file, Mapping.SNAPSHOT));
      for (int attempt = 0; attempt < FileSnapshot.MOST_ATTEMPTS; attempt++) {
        disk.awaitHeldRead();
        Files.move(holding(disk.folder().resolve("next"), 2), file, StandardCopyOption.ATOMIC_MOVE);
        disk.faults("hold=" + 2 * PAGE);
      }
      ExecutionException failed =
          assertThrows(ExecutionException.class, () -> reading.get(10, TimeUnit.SECONDS));
      String why = String.valueOf(failed.getMessage());
      assertTrue(why.contains("was replaced each of the 20 times"), why);
    }
  }

  @Test
  void mapsANewFileInAFolderThatCannotBeSynced() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      for (int error : new int[] {EINVAL, EOPNOTSUPP}) {
        disk.faults("fsyncdir=" + error);
        for (Mapping mapping : List.of(Mapping.SHARED, Mapping.DURABLE)) {
          try (Jbuf jbuf = Jbuf.map(disk.folder().resolve(mapping + "" + error), mapping, BYTES)) {
            storeToEachPage(jbuf);
            jbuf.flush();
          }
        }
      }
    }
  }

  /// Makes, changes, opens and reads a file in a folder.
  static final class Unprivileged {
    public static void main(String[] arguments) throws IOException {
      Path folder = Path.of(arguments[0]);
      for (Mapping mapping : List.of(Mapping.SHARED, Mapping.DURABLE)) {
        Path file = folder.resolve(mapping.toString());
        for (int round = 0; round < 2; round++) {
          try (Jbuf jbuf = Jbuf.map(file, mapping, BYTES)) {
            storeToEachPage(jbuf);
            jbuf.flush();
          }
        }
        try (Jbuf copy = Jbuf.map(file, Mapping.SNAPSHOT)) {
          System.out.println(mapping + " " + copy.capacityBytes());
        }
      }
    }
  }

  @Test
  void mapsFilesInAFolderThatMayNotBeRead() throws Exception {
    Needs.root("a process that is bound by permissions");
    Path folder = Files.createDirectory(temporary.resolve("unreadable"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("-wx------"));
    String said = Jvm.of(Unprivileged.class).command(folder.toString()).bound().output();
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    assertEquals("SHARED %d\nDURABLE %d\n".formatted(BYTES, BYTES), said);
    assertEquals(List.of("DURABLE", "DURABLE.journal", "SHARED"), files(folder));
  }

  @Test
  void leavesNothingOfAFileThatItCouldNotMap() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path file = disk.folder().resolve("file");
      for (Mapping mapping : List.of(Mapping.SHARED, Mapping.DURABLE)) {
        disk.faults("fsyncdir=" + EIO);
        IOException failed = assertThrows(IOException.class, () -> Jbuf.map(file, mapping, BYTES));
        assertTrue(failed.getMessage().contains("Input/output error"), failed.getMessage());
        assertEquals(List.of(), files(disk.folder()));
        disk.faults("write=" + EIO);
        assertThrows(IOException.class, () -> Jbuf.map(file, mapping, BYTES));
        assertEquals(List.of(), files(disk.folder()));
      }
      disk.faults("direct=1");
      IOException refused =
          assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SHARED, BYTES));
      assertTrue(refused.getMessage().contains("cannot map files as SHARED"), refused.getMessage());
      assertEquals(List.of(), files(disk.folder()));
      byte[] kept = Arrays.copyOf(new byte[] {7}, BYTES);
      Files.write(file, kept);
      assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SHARED, 2 * BYTES));
      assertTrue(Files.size(file) >= BYTES, "it was there before");
    }
  }

  @Test
  void saysThatAFileSystemHasNoLocks() throws Exception {
    try (FaultyDisk disk = FaultyDisk.withoutLocks(temporary, ENOLCK)) {
      Path file = disk.folder().resolve("file");
      IOException refused =
          assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.DURABLE, BYTES));
      assertTrue(refused.getMessage().contains("has no locks"), refused.getMessage());
      try (Jbuf shared = Jbuf.map(file, Mapping.SHARED, BYTES);
          Jbuf copy = Jbuf.map(file, Mapping.SNAPSHOT)) {
        storeToEachPage(shared);
        shared.flush();
        assertEquals(0, copy.asLongs().get(0));
      }
    }
  }
}
