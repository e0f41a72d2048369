package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
  @TempDir Path place;

  private List<Path> left() throws IOException {
    try (var files = Files.list(place)) {
      return files.toList();
    }
  }

  @Test
  void isDeletedWithAllThatIsInIt() throws IOException {
    try (RunFolder run = RunFolder.in(place)) {
      Files.createFile(Files.createDirectory(run.path().resolve("sort-1")).resolve("input"));
      assertEquals(List.of(run.path()), left());
    }
    assertEquals(List.of(), left());
  }

  @Test
  void deletesWhatADeadRunHasLeft() throws IOException {
    Path dead = Files.createDirectory(place.resolve("run-1"));
    Files.createFile(dead.resolve(".lock"));
    Files.createFile(dead.resolve("input"));

    try (RunFolder run = RunFolder.in(place)) {
      assertEquals(List.of(run.path()), left());
    }
  }

  /// One that is not a run's, or of a run that is just being deleted.
  @Test
  void leavesAloneWhatHasNoLock() throws IOException {
    Path other = Files.createDirectory(place.resolve("run-of-luck"));
    Files.createFile(other.resolve("card"));
    RunFolder.in(place).close();
    assertEquals(List.of(other), left());
  }

  /// While it is deleted: it is known to be dead as long as anything is left.
  @Test
  void deletesItsLockLast() throws IOException {
    RunFolder run = RunFolder.in(place);
    Files.createFile(run.path().resolve("0"));
    Files.createFile(run.path().resolve("z"));
    try (var files = Files.list(run.path())) {
      assertEquals(
          run.path().resolve(".lock"),
          files.min(Path::compareTo).orElseThrow(),
          "it is deleted last");
    }
    run.close();
    assertFalse(Files.exists(run.path()));
    assertTrue(Files.exists(place));
  }
}
