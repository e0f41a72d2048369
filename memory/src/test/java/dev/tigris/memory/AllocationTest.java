package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is read and written where it lies needs no objects on the heap.
class AllocationTest {
  /// A JVM that only interprets does what the code says: no compiler leaves an allocation out.
  @Test
  void usingWhatIsInAContainerAllocatesNothing(@TempDir Path folder) throws Exception {
    Outside.compileResource(folder, "Allocation");
    Outside.specialize(folder);
    Outside.Outcome outcome =
        Outside.run(
            List.of("-Xint", "--add-modules", "jdk.management"), List.of("Allocation"), folder);
    assertEquals(0, outcome.exitCode(), outcome.output());
    List<String> lines = outcome.output().lines().toList();
    assertEquals(
        List.of(
            "fields: 0",
            "texts: 0",
            "a cursor over a table: 0",
            "a cursor over a list: 0",
            "references, recovered before: 0",
            "elements of a list: 0"),
        lines.subList(0, lines.size() - 1));
    assertTrue(lines.getLast().matches("a new object: [1-9]\\d*"), "it counts: " + lines);
  }
}
