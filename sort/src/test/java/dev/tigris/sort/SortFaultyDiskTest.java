package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.FaultyDisk;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Outputs on disks that fail, and that lack an operation.
@EnabledOnOs(OS.LINUX)
class SortFaultyDiskTest {
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOLCK = 37;
  private static final int EOPNOTSUPP = 95;

  @TempDir private Path temporary;
  private Path input;

  @BeforeEach
  void makeInput() throws Exception {
    input = temporary.resolve("input");
    GenerateJob.to(input, 1_000).run();
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.equals(".faults"))
          .toList();
    }
  }

  @Test
  void sortsIntoAFolderThatCannotBeSynced() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path output = disk.folder().resolve("sorted");
      for (int error : new int[] {EINVAL, EOPNOTSUPP}) {
        disk.faults("fsyncdir=" + error);
        assertEquals(1_000, SortJob.of(List.of(input), output).run().records());
        Files.delete(output);
      }
    }
  }

  /// It may be entered and written: the new names in it are forced to the disk with all the rest.
  @Test
  void sortsIntoAFolderThatMayNotBeRead() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("unreadable"));
    Path output = folder.resolve("sorted");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("-wx------"));
    assertNull(SortProcess.startWithoutPrivileges(input, output).refusal());
    assertEquals(100_000, Files.size(output));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    assertEquals(List.of("sorted"), files(folder));
  }

  static final class Generates {
    public static void main(String[] arguments) throws Exception {
      System.out.println(GenerateJob.to(Path.of(arguments[0]), 1_000).run().records());
    }
  }

  @Test
  void generatesIntoAFolderThatMayNotBeRead() throws Exception {
    Needs.root("a process that is bound by permissions");
    Path folder = Files.createDirectory(temporary.resolve("unreadable"));
    Path output = folder.resolve("made");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("-wx------"));
    Command generates = Jvm.of(Generates.class).quick().command(output.toString()).bound();
    assertEquals("1000\n", generates.output());
    assertEquals(100_000, Files.size(output));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    assertEquals(List.of("made"), files(folder));
  }

  @Test
  void replacesNothingWhereTheFolderFails() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path output = Files.writeString(disk.folder().resolve("sorted"), "what was there");
      disk.faults("fsyncdir=" + EIO);
      SortException failed =
          assertThrows(SortException.class, () -> SortJob.of(List.of(input), output).run());
      assertEquals(SortException.Kind.IO, failed.kind());
      assertTrue(failed.getMessage().contains("could not be written"), failed.getMessage());
      assertEquals("what was there", Files.readString(output));
      assertEquals(List.of("sorted"), files(disk.folder()));
    }
  }

  @Test
  void saysWhereAWriteOrASyncHasFailedAndReplacesNothing() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path output = Files.writeString(disk.folder().resolve("sorted"), "what was there");
      for (String operation : List.of("write", "fsync")) {
        disk.faults(operation + "=" + EIO);
        SortException failed =
            assertThrows(SortException.class, () -> SortJob.of(List.of(input), output).run());
        String expected =
            operation.equals("write") ? "Input/output error at byte " : "Input/output error";
        assertEquals(SortException.Kind.IO, failed.kind());
        assertTrue(failed.getMessage().contains(expected), failed.getMessage());
        disk.faults();
        assertEquals("what was there", Files.readString(output));
        assertEquals(List.of("sorted"), files(disk.folder()));
      }
    }
  }

  @Test
  void worksWithoutLocksAndLeavesAloneWhatMayBeInUse() throws Exception {
    try (FaultyDisk disk = FaultyDisk.withoutLocks(temporary, ENOLCK)) {
      Path made = disk.folder().resolve("made");
      GenerateJob.to(made, 1_000).run();
      Path output = disk.folder().resolve("sorted");
      try (TemporaryFolder living = new TemporaryFolder(output)) {
        Path living1 = living.resolve("spill-0");
        Files.writeString(living1, "records");
        assertEquals(1_000, SortJob.of(List.of(made), output).run().records());
        assertTrue(Files.exists(living1), "no lock tells that its process is dead");
        assertFalse(Files.exists(living.resolve("lock")));
      }
      assertEquals(List.of("made", "sorted"), files(disk.folder()));
    }
  }
}
