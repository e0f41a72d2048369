package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFolderTest {
  @TempDir private Path temporary;

  /// Makes what a killed process of a sort leaves.
  private static void leave(Path folder) throws Exception {
    Path own = Files.createDirectories(folder.resolve(".parts.tigris-1-0123abcd"));
    Files.createFile(own.resolve("lock"));
    Files.createFile(own.resolve("spill-0"));
  }

  @Test
  void aFolderIsDeletedWithWhatKilledProcessesHaveLeft() throws Exception {
    Path folder = temporary.resolve("sorted");
    leave(folder);
    HostFolder.delete(folder);
    assertFalse(Files.exists(folder));
    HostFolder.delete(folder); // another process of the host does it, too
  }

  @Test
  void aFolderWithAnythingElseIsKept() throws Exception {
    Path folder = temporary.resolve("sorted");
    leave(folder);
    Path other = Files.createFile(folder.resolve("other"));
    try (var living = new TemporaryFolder(HostFolder.own(folder))) {
      HostFolder.delete(folder);
      assertTrue(Files.exists(living.path()));
    }
    HostFolder.delete(folder);
    assertTrue(Files.exists(other));
  }
}
