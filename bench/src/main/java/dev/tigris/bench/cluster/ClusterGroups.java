package dev.tigris.bench.cluster;

import dev.tigris.bench.Group;
import java.util.List;

/// The groups of flows over several processes. Those of single streams are among the groups of
/// `net`.
public final class ClusterGroups {
  private ClusterGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new StallGroup("shm"), new StallGroup("tcp"), new StallGroup("uring"), new Fig5Group());
  }
}
