package dev.tigris.bench.disks;

import dev.tigris.bench.Group;
import dev.tigris.os.disk.DiskOperation;
import java.util.List;

/// The groups of `disks`.
public final class DiskGroups {
  private DiskGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new LoadGroup("disks.read", DiskOperation.Kind.READ),
        new LoadGroup("disks.write", DiskOperation.Kind.WRITE),
        new DeclusteringGroup(),
        new DeclusteringSimulationGroup());
  }
}
