package dev.tigris.bench.memory;

import dev.tigris.bench.Group;
import dev.tigris.bench.fork.ForkedGroup;
import java.util.List;

/// The groups of `memory`.
public final class MemoryGroups {
  private MemoryGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ForkedGroup("memory.view", ViewSuite.FIGURES, ViewSuite.class, 4, 10),
        new ForkedGroup("memory.bytes", BytesSuite.FIGURES, BytesSuite.class, 4, 10),
        new ForkedGroup(
            "memory.object", List.of(ObjectSuite.FIGURES.getFirst()), ObjectSuite.class, 4, 10),
        new ForkedGroup(
            "memory.reference", ObjectSuite.FIGURES.subList(1, 3), ObjectSuite.class, 4, 10),
        new FieldGroup(),
        new ForkedGroup("memory.jbuf", JbufSuite.FIGURES, JbufSuite.class, 2, 5),
        new ArrowGroup());
  }
}
