package dev.tigris.bench.matrix;

import dev.tigris.bench.Group;
import dev.tigris.bench.fork.ForkedGroup;
import java.util.List;

/// The groups of `matrix`, and of the papers' products on one processor.
public final class MatrixGroups {
  static final List<String> VECTORS = List.of("--add-modules", "jdk.incubator.vector");

  private MatrixGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ForkedGroup(
            "multiply.kernel", MultiplySuite.FIGURES, MultiplySuite.class, 1, 4, VECTORS),
        new LoopGroup(),
        new ChecksGroup());
  }
}
