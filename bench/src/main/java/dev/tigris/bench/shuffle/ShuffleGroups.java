package dev.tigris.bench.shuffle;

import dev.tigris.bench.Group;
import java.util.List;

/// The groups of records that go between processes.
public final class ShuffleGroups {
  private ShuffleGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ShuffleGroup(), new SlowTakerGroup(), new ClusterSortGroup(), new SparkGroup());
  }
}
