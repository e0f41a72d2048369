package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.SmallDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class CheckFaultsTest {
  @TempDir Path folder;

  /// What the kernel makes up when it is read has no size, and would be no records.
  @Test
  @EnabledOnOs(OS.LINUX)
  void refusesAFileThatHoldsMoreThanItsSize() {
    Path output = folder.resolve("sorted");
    for (Path file : List.of(Path.of("/proc/cpuinfo"), Path.of("/proc/self/maps"))) {
      SortException refused =
          assertThrows(SortException.class, () -> CheckJob.of(List.of(file)).run());
      assertEquals(SortException.Kind.INPUT, refused.kind());
      String message = String.valueOf(refused.getMessage());
      assertTrue(message.startsWith(file + " has data but a size"), message);
      assertThrows(SortException.class, () -> SortJob.of(List.of(file), output).run());
      assertFalse(Files.exists(output));
    }
  }

  @Test
  void leavesNoPartOfASummaryWhenTheDiskIsFull() throws Exception {
    CheckSummary summary = CheckSummary.empty(new RecordFormat(1 << 20, 0, 1 << 20), 0);
    try (SmallDisk disk = SmallDisk.inMemory(folder, 1 << 20)) {
      Path file = disk.folder().resolve("summary");
      SortException failed = assertThrows(SortException.class, () -> summary.write(file));
      assertEquals(SortException.Kind.DISK_FULL, failed.kind(), failed.getMessage());
      assertFalse(Files.exists(file));
    }
  }
}
