package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.SortJob;
import dev.tigris.verify.crash.CallLog.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A sort's output has its name on the disk when all of it is there, and not before: after a crash
/// of the machine there is the whole output or none.
class SortOrderTest {
  private static final int RECORDS = 100_000;

  @TempDir Path temporary;
  private Path real;
  private Path folder;

  @BeforeEach
  void makeFolder() throws Exception {
    real = temporary.toRealPath();
    folder = Files.createDirectory(real.resolve("folder"));
  }

  /// Sorts what it makes: arguments are the folder, and how.
  static final class Sorter {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      String how = arguments[1];
      Path input = folder.resolveSibling("input");
      GenerateJob.to(input, RECORDS).run();
      SortJob job = SortJob.of(List.of(input), folder.resolve("sorted")).parallel(2);
      job = how.contains("partitioned") ? job.partitioned() : job;
      job = how.contains("unforced") ? job.unforced() : job;
      job.run();
    }
  }

  private List<Call> calls(String how) throws Exception {
    List<Call> calls = CallLog.of(Sorter.class, folder, real, false, folder.toString(), how);
    Files.delete(real.resolve("input"));
    return calls;
  }

  private static int[] indexes(List<Call> calls, Predicate<Call> which) {
    return IntStream.range(0, calls.size()).filter(i -> which.test(calls.get(i))).toArray();
  }

  /// The one call of this name with this as the file, or the new name of it.
  private static int only(List<Call> calls, String name, Path path) {
    int[] found =
        indexes(
            calls,
            call ->
                call.name().equals(name)
                    && (call.second() == null ? call.path() : call.second()).equals(path));
    assertEquals(1, found.length, name + " " + path + " in " + calls);
    return found[0];
  }

  /// Nothing of a file changes after it was synced, which is before another call.
  private static void requireSynced(List<Call> calls, Path file, int before) {
    int sync = only(calls, "sync", file);
    assertTrue(sync < before, () -> file + " is synced too late: " + calls);
    for (int change : indexes(calls, call -> writes(call) && call.path().equals(file))) {
      assertTrue(change < sync, () -> file + " is written later: " + calls);
    }
  }

  /// The folder is synced before the rename, so that a failing disk is found while the old output
  /// is there, and once after it.
  private void requireFolderSynced(List<Call> calls, int rename) {
    int[] found = indexes(calls, call -> call.name().equals("sync") && folder.equals(call.path()));
    assertEquals(2, found.length, calls::toString);
    assertTrue(found[0] < rename && rename < found[1], calls::toString);
  }

  private static boolean writes(Call call) {
    return call.name().equals("write") || call.name().equals("size");
  }

  @Test
  void syncsTheFileThenRenamesItThenSyncsItsFolder() throws Exception {
    List<Call> calls = calls("whole");
    Path output = folder.resolve("sorted");
    int rename = only(calls, "rename", output);
    assertTrue(indexes(calls, SortOrderTest::writes).length > 0, calls::toString);
    requireSynced(calls, calls.get(rename).path(), rename);
    requireFolderSynced(calls, rename);
    assertEquals(RECORDS * 100L, Files.size(output));
  }

  @Test
  void syncsPartitionsAndTheirFolderBeforeTheRename() throws Exception {
    List<Call> calls = calls("partitioned");
    Path output = folder.resolve("sorted");
    int rename = only(calls, "rename", output);
    Path made = calls.get(rename).path();
    int listed = only(calls, "sync", made);
    assertTrue(listed < rename, calls::toString);
    List<Call> parts =
        calls.stream()
            .filter(call -> call.name().equals("create") && call.path().startsWith(made))
            .toList();
    assertTrue(parts.size() > 1, calls::toString);
    for (Call part : parts) {
      requireSynced(calls, part.path(), listed);
    }
    assertTrue(indexes(calls, SortOrderTest::writes).length > 1, calls::toString);
    requireFolderSynced(calls, rename);
  }

  @Test
  void syncsNothingThatNeedNotBe() throws Exception {
    for (String how : List.of("unforced", "unforced partitioned")) {
      List<Call> calls = calls(how);
      assertEquals(0, indexes(calls, call -> call.name().equals("sync")).length, calls::toString);
      Path output = folder.resolve("sorted");
      only(calls, "rename", output);
      Files.move(output, real.resolve(how));
    }
  }
}
