package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Mapped files on disks that write a page to a new place, because of a snapshot or another file
/// that has the old one, and on disks with a quota. A first store to a page may find no room there.
@Slow("makes and fills file systems")
@EnabledOnOs(OS.LINUX)
class CopyingDiskTest {
  private static final int PAGE = 4096;
  private static final int BYTES = 4 << 20;

  @TempDir private Path temporary;

  private static Path file(Path folder) throws IOException {
    Path file = folder.resolve("file");
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) 7);
    Files.write(file, bytes);
    return file;
  }

  /// Takes all the room of a disk.
  private static Path fill(Path folder) throws IOException {
    Path filler = folder.resolve("filler");
    for (int part = 1 << 20; part >= PAGE; part /= 4) {
      try (OutputStream out =
          Files.newOutputStream(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        for (byte[] bytes = new byte[part]; true; ) {
          out.write(bytes);
        }
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("No space left"), e.getMessage());
      }
    }
    return filler;
  }

  private static void limit(Path volume, String bytes) {
    String _ = Command.of("btrfs", "qgroup", "limit", bytes, volume.toString()).output();
  }

  private static Path volumeWithQuota(Path disk, String bytes) {
    Path volume = disk.resolve("volume");
    String _ = Command.of("btrfs", "subvolume", "create", volume.toString()).output();
    String _ = Command.of("btrfs", "quota", "enable", disk.toString()).output();
    limit(volume, bytes);
    return volume;
  }

  @Test
  void refusesAFileWithHolesThatAQuotaHasNoRoomFor() throws Exception {
    try (SmallDisk disk = SmallDisk.btrfs(temporary, 64 << 20)) {
      Path volume = volumeWithQuota(disk.folder(), "2M");
      Path file = volume.resolve("file");
      try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
        made.setLength(BYTES);
      }
      IOException refused = assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SHARED));
      assertTrue(refused.getMessage().contains("a quota has no room"), refused.getMessage());

      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE)) {
        jbuf.asBytes().fill((byte) 3);
        IOException failed = assertThrows(IOException.class, jbuf::flush);
        assertTrue(failed.getMessage().contains("nothing was flushed"), failed.getMessage());
        assertArrayEquals(new byte[BYTES], Files.readAllBytes(file));
        limit(volume, "none");
        jbuf.flush();
        assertEquals(3, Files.readAllBytes(file)[BYTES - 1]);
      }
      Jbuf.map(file, Mapping.SHARED).close();
    }
  }

  /// Stores to each page of a file again and again, also from compiled code, and flushes.
  static final class Storing {
    public static void main(String[] arguments) throws IOException {
      Jbuf jbuf = Jbuf.map(Path.of(arguments[0]), Mapping.SHARED);
      Bytes bytes = jbuf.asBytes();
      for (int round = 0; round < 2_000; round++) {
        store(bytes, 0, PAGE); // one page, so that the code is compiled
      }
      System.out.println("mapped");
      int _ = System.in.read();
      int failed = 0;
      for (long at = 0; at < BYTES; at += PAGE) {
        try {
          store(bytes, at, at + PAGE);
        } catch (InternalError e) {
          failed++;
        }
      }
      System.out.println(failed > 0 ? "stores failed" : "all were stored");
      for (int round = 0; round < 2; round++) {
        try {
          jbuf.flush();
          System.out.println("flushed");
        } catch (IOException e) {
          System.out.println(e.getMessage());
        }
      }
      jbuf.close();
      System.out.println("closed");
    }

    private static void store(Bytes bytes, long from, long to) {
      for (long at = from; at < to; at += Long.BYTES) {
        bytes.setLong(at, at);
      }
    }
  }

  /// Fails to flush, after stores for which there is no room.
  private static void storeInVain(Path file, Filling filling) throws Exception {
    try (Child child = Jvm.of(Storing.class).command(file.toString()).start()) {
      child.expectLine("mapped");
      filling.fill();
      child.say("store");
      child.expectLine("stores failed");
      String first = String.valueOf(child.nextLine());
      assertTrue(first.contains("is full, and the file has pages"), first);
      String second = String.valueOf(child.nextLine());
      assertTrue(second.contains("an earlier flush of"), second);
      child.expectLine("closed");
      assertEquals(0, child.exitCode());
    }
  }

  private interface Filling {
    void fill() throws Exception;
  }

  @Test
  void failsToFlushWhatFoundNoRoomBesideASnapshot() throws Exception {
    try (SmallDisk disk = SmallDisk.btrfs(temporary, 64 << 20)) {
      Path volume = disk.folder().resolve("volume");
      Path kept = disk.folder().resolve("kept");
      String _ = Command.of("btrfs", "subvolume", "create", volume.toString()).output();
      Path file = file(volume);
      storeInVain(
          file,
          () -> {
            String _ =
                Command.of("btrfs", "subvolume", "snapshot", volume + "", kept + "").output();
            Path _ = fill(disk.folder());
          });
      byte[] before = Files.readAllBytes(kept.resolve("file"));
      assertEquals(7, before[BYTES - 1], "the snapshot is as it was");
    }
  }

  @Test
  void failsToFlushWhatAQuotaHadNoRoomFor() throws Exception {
    try (SmallDisk disk = SmallDisk.btrfs(temporary, 64 << 20)) {
      Path volume = volumeWithQuota(disk.folder(), "none");
      storeInVain(file(volume), () -> limit(volume, "1M"));
    }
  }

  @Test
  void hasBlocksOfItsOwnWhereFilesShareThem() throws Exception {
    try (SmallDisk disk = SmallDisk.xfs(temporary, 320 << 20)) {
      Path file = file(disk.folder());
      Path other = disk.folder().resolve("other");
      String _ = Command.of("cp", "--reflink=always", file + "", other + "").output();
      try (Jbuf jbuf = Jbuf.map(file, Mapping.SHARED)) {
        Path _ = fill(disk.folder());
        Bytes bytes = jbuf.asBytes();
        for (long at = 0; at < BYTES; at += PAGE) {
          bytes.setLong(at, at);
        }
        jbuf.flush();
      }
      assertEquals(7, Files.readAllBytes(other)[BYTES - 1], "the other one is as it was");
    }
  }

  /// Fills a disk but for some bytes.
  private static Path fillBut(Path folder, long bytes) throws IOException {
    Path filler = fill(folder);
    try (RandomAccessFile cut = new RandomAccessFile(filler.toFile(), "rw")) {
      cut.setLength(cut.length() - bytes);
      cut.getFD().sync();
    }
    return filler;
  }

  private static Path twin(Path file) {
    Path other = file.resolveSibling("other");
    String _ = Command.of("cp", "--reflink=always", file + "", other + "").output();
    return other;
  }

  @Test
  void refusesAFileWithSharedBlocksThatTheDiskHasNoRoomForAndTakesNone() throws Exception {
    try (SmallDisk disk = SmallDisk.xfs(temporary, 320 << 20)) {
      Path file = file(disk.folder());
      Path other = twin(file);
      Path filler = fillBut(disk.folder(), BYTES / 2);
      long free = FileBlocks.free(file);
      assertTrue(free > BYTES / 4 && free < BYTES, "free are " + free);
      IOException refused = assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.SHARED));
      assertTrue(refused.getMessage().contains("shares blocks"), refused.getMessage());
      assertTrue(refused.getMessage().contains("4194304 of its 4194304"), refused.getMessage());
      assertEquals(free, FileBlocks.free(file), "nothing of the disk was taken");
      Jbuf.map(file, Mapping.PRIVATE).close();
      Files.delete(filler);
      Wait.until("XFS has freed its blocks", () -> FileBlocks.free(file) > 2 * BYTES);
      Jbuf.map(file, Mapping.SHARED).close();
      Path _ = fill(disk.folder());
      Jbuf.map(file, Mapping.SHARED).close(); // it has them now, and so has the other
      Jbuf.map(other, Mapping.SHARED).close();
    }
  }

  @Test
  void flushesNothingOfAFileWithSharedBlocksUntilThereIsRoomForAll() throws Exception {
    try (SmallDisk disk = SmallDisk.xfs(temporary, 320 << 20)) {
      Path file = file(disk.folder());
      byte[] before = Files.readAllBytes(file);
      Path other = twin(file);
      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE)) {
        jbuf.asBytes().fill((byte) 3);
        Path filler = fillBut(disk.folder(), BYTES + BYTES / 2); // for the journal alone
        IOException failed = assertThrows(IOException.class, jbuf::flush);
        assertTrue(failed.getMessage().contains("nothing was flushed"), failed.getMessage());
        assertArrayEquals(before, Files.readAllBytes(file));
        Files.delete(filler);
        Wait.until("XFS has freed its blocks", () -> FileBlocks.free(file) > 3 * BYTES);
        jbuf.flush();
        assertEquals(3, Files.readAllBytes(file)[BYTES - 1]);
      }
      assertArrayEquals(before, Files.readAllBytes(other), "the other one is as it was");
    }
  }
}
