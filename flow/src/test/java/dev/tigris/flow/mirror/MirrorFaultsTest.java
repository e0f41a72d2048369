package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowException;
import dev.tigris.testing.host.FaultyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// One disk of a data set fails while it is written, read and repaired.
@Timeout(60)
class MirrorFaultsTest {
  private static final int BLOCK_BYTES = 4096;
  private static final int BYTES = 20 * BLOCK_BYTES + 7;

  @TempDir Path folder;
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  private final byte[] content = new byte[BYTES];
  private Path file;

  @BeforeEach
  void makeFile() throws IOException {
    new Random(57).nextBytes(content);
    file = Files.write(folder.resolve("data"), content);
  }

  private List<Path> disks(FaultyDisk faulty) throws IOException {
    List<Path> disks = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      disks.add(Files.createDirectory(folder.resolve(name)).toRealPath());
    }
    disks.add(faulty.folder().toRealPath());
    return disks;
  }

  private Mirror write(List<Path> disks) throws Exception {
    Mirror.copying(file, "data", disks, BLOCK_BYTES, 2, warnings::add).start().await();
    return Mirror.open(disks.getFirst().resolve("data.mirror"));
  }

  private void requireContent(Mirror mirror) throws IOException, InterruptedException {
    ByteBuffer all = ByteBuffer.allocateDirect(BYTES);
    try (MirrorFile open = mirror.openFile()) {
      while (all.hasRemaining()) {
        assertTrue(open.read(all, all.position()) > 0);
      }
    }
    byte[] read = new byte[BYTES];
    all.flip().get(read);
    assertArrayEquals(content, read);
  }

  /// A write that fails, a sync that fails, and a folder's.
  @Test
  void aCopyThatCannotBeBroughtToItsDiskIsGivenUpAndRepairedLater() throws Exception {
    try (FaultyDisk faulty = FaultyDisk.in(folder)) {
      List<Path> disks = disks(faulty);
      for (String fault : List.of("write=5", "write=28", "fsync=5", "fsyncdir=5")) {
        warnings.clear();
        faulty.faults(fault);
        Mirror mirror = write(disks);
        assertEquals(
            2, // the disk has a copy of two of three segments
            warnings.stream().filter(text -> text.contains("has one copy left")).count(),
            fault + ": " + warnings);
        assertTrue(
            warnings.stream().allMatch(text -> text.contains(faulty.folder().toString())),
            warnings::toString);
        requireContent(mirror);
        assertFalse(mirror.check().isWell(), fault);
        faulty.faults();
        assertEquals(2, mirror.repair(null, null).repairedCopies(), fault);
        Mirror repaired = Mirror.open(disks.getFirst().resolve("data.mirror"));
        assertEquals(List.of(), repaired.problems(), fault);
        assertTrue(repaired.check().isWell(), fault);
        requireContent(repaired);
      }
    }
  }

  @Test
  void aDiskThatCannotReadIsReadAround() throws Exception {
    try (FaultyDisk faulty = FaultyDisk.in(folder)) {
      Mirror mirror = write(disks(faulty));
      assertEquals(List.of(), warnings);
      faulty.faults("readfrom=" + 2 * BLOCK_BYTES); // the tables, too
      requireContent(mirror);
      Mirror.Report report = mirror.check();
      assertEquals(2, report.badCopies());
      assertEquals(0, report.lostBlocks());
      assertTrue(report.problems().toString().contains("error"), report::toString);
    }
  }

  /// The disk fails again while copies are written anew: the data set stays as it was.
  @Test
  void aRepairThatFailsLeavesWhatThereIs() throws Exception {
    try (FaultyDisk faulty = FaultyDisk.in(folder)) {
      List<Path> disks = disks(faulty);
      faulty.faults("fsync=5");
      Mirror mirror = write(disks);
      Exception failure = assertThrows(IOException.class, () -> mirror.repair(null, null));
      assertTrue(failure.getMessage().contains("cannot be written"), failure.getMessage());
      Mirror after = Mirror.open(disks.getFirst().resolve("data.mirror"));
      assertEquals(mirror.identity(), after.identity());
      requireContent(after);
    }
  }

  @Test
  void nothingIsLeftOfADataSetWithoutACopyOfASegment() throws Exception {
    try (FaultyDisk faulty = FaultyDisk.in(folder)) {
      Path one = Files.createDirectory(faulty.folder().resolve("one"));
      Path two = Files.createDirectory(faulty.folder().resolve("two"));
      faulty.faults("fsync=5");
      FlowException failure = assertThrows(FlowException.class, () -> write(List.of(one, two)));
      assertTrue(failure.getMessage().contains("cannot be written to any"), failure.getMessage());
      assertEquals(0, one.toFile().list().length + two.toFile().list().length);
    }
  }
}
