package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
  private static final int PROCESSES = 2;
  private static final int ROUNDS = 200;

  @TempDir Path place;

  /// All that is there, by its name.
  private Set<String> left() throws IOException {
    try (var files = Files.walk(place)) {
      return files
          .filter(file -> !file.equals(place))
          .map(file -> place.relativize(file).toString())
          .collect(Collectors.toSet());
    }
  }

  private void deleteDead() throws IOException {
    RunFolder.in(place).close();
  }

  private void lock(String name, String content) throws IOException {
    Files.writeString(place.resolve(name + ".lock"), content);
  }

  private void folder(String name, String file) throws IOException {
    Files.createFile(Files.createDirectory(place.resolve(name)).resolve(file));
  }

  @Test
  void isDeletedWithItsLockAndAllThatIsInIt() throws IOException {
    try (RunFolder run = RunFolder.in(place)) {
      Files.createFile(Files.createDirectory(run.path().resolve("sort-1")).resolve("input"));
      String name = String.valueOf(run.path().getFileName());
      assertEquals(Set.of(name, name + ".lock", name + "/sort-1", name + "/sort-1/input"), left());
    }
    assertEquals(Set.of(), left());
  }

  @Test
  void deletesWhatADeadRunHasLeft() throws IOException {
    lock("tigris-bench-1", RunFolder.MARK);
    folder("tigris-bench-1", "input");
    deleteDead();
    assertEquals(Set.of(), left());
  }

  @Test
  void deletesWhatARunHasLeftThatDiedBeforeItHadAFolder() throws IOException {
    lock("tigris-bench-1", "");
    lock("tigris-bench-2", RunFolder.MARK);
    deleteDead();
    assertEquals(Set.of(), left());
  }

  @Test
  void leavesAloneWhatIsOfOthers() throws IOException {
    folder("run-1", ".lock");
    folder("tigris-bench-1", "card");
    lock("tigris-bench-1", "");
    folder("tigris-bench-2", "card");
    lock("tigris-bench-2", "4711\n");
    folder("tigris-bench-3", "card");
    lock("tigris-bench-3", RunFolder.MARK + RunFolder.MARK);
    folder("tigris-bench-4", ".lock");
    lock("tigris-bench-5", "4711\n");
    Set<String> before = left();

    deleteDead();

    assertEquals(before, left());
  }

  @Test
  void followsNoLink(@TempDir Path others) throws IOException {
    Path card = Files.createFile(others.resolve("card"));
    Path lock = Files.writeString(others.resolve("lock"), RunFolder.MARK);
    lock("tigris-bench-1", RunFolder.MARK);
    Files.createSymbolicLink(place.resolve("tigris-bench-1"), others);
    Files.createSymbolicLink(place.resolve("tigris-bench-2.lock"), lock);
    folder("tigris-bench-2", "card");

    deleteDead();

    assertEquals(Set.of("tigris-bench-2.lock", "tigris-bench-2", "tigris-bench-2/card"), left());
    assertEquals(List.of(true, true), List.of(Files.exists(card), Files.exists(lock)));
  }

  @Test
  void isKnownToBeDeadAsLongAsAnythingOfItIsLeft(@TempDir Path aside) throws IOException {
    RunFolder run = RunFolder.in(place);
    try (var _ = Undeletable.inRunOf(place, aside)) {
      assertThrows(IOException.class, run::close);
      deleteDead();
    }
    assertEquals(
        RunFolder.MARK, Files.readString(place.resolve(run.path().getFileName() + ".lock")));
    deleteDead();
    assertEquals(Set.of(), left());
  }

  /// Makes and deletes many, each of which must be there with its lock while it lives.
  static final class Living {
    public static void main(String[] args) throws IOException {
      for (int round = 0; round < ROUNDS; round++) {
        try (RunFolder run = RunFolder.in(Path.of(args[0]))) {
          Files.delete(Files.createFile(run.path().resolve("input")));
          // Not opened: closing it would unlock it.
          assertTrue(Files.exists(run.path().resolveSibling(run.path().getFileName() + ".lock")));
        }
      }
    }
  }

  @Test
  @Timeout(60)
  void runsThatBeginAtOnceLeaveEachOtherAlone() throws Exception {
    List<Child> processes = new ArrayList<>();
    for (int process = 0; process < PROCESSES; process++) {
      processes.add(Jvm.of(Living.class).quick().command(place.toString()).start());
    }
    for (Child process : processes) {
      process.outcome().expect(0);
    }
    assertEquals(Set.of(), left());
  }
}
