package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is read and written where it lies needs no objects on the heap.
class AllocationTest {
  private static List<String> lines(Path folder, List<String> options, List<String> arguments)
      throws Exception {
    Outside.compileResource(folder, "Allocation");
    Outside.specialize(folder);
    Outside.Outcome outcome = Outside.run(options, arguments, folder);
    assertEquals(0, outcome.exitCode(), outcome.output());
    return outcome.output().lines().toList();
  }

  /// A JVM that only interprets does what the code says: no compiler leaves an allocation out.
  @Test
  void usingWhatIsInAContainerAllocatesNothing(@TempDir Path folder) throws Exception {
    List<String> lines =
        lines(folder, List.of("-Xint", "--add-modules", "jdk.management"), List.of("Allocation"));
    assertEquals(
        List.of(
            "fields: 0",
            "a cursor over a table: 0",
            "a cursor over a list: 0",
            "references that are kept, recovered before: 0",
            "elements of a list that are kept: 0"),
        lines.subList(0, lines.size() - 1));
    assertTrue(lines.getLast().matches("a new object: [1-9]\\d*"), "it counts: " + lines);
  }

  /// What stands for a text, an array or another object is made at each read, and left out by C2.
  @Test
  void usingWhatIsMadeAtEachReadAllocatesNothingOnceItIsCompiled(@TempDir Path folder)
      throws Exception {
    assertEquals(
        List.of(
            "texts and arrays under a cursor: 0",
            "texts: 0",
            "arrays: 0",
            "references: 0",
            "objects in place: 0",
            "elements of a list: 0"),
        lines(
            folder, List.of("--add-modules", "jdk.management"), List.of("Allocation", "compiled")));
  }
}
