package dev.tigris.bench.runs;

import dev.tigris.bench.Group;
import java.util.List;

/// The groups of runs on several processes.
public final class RunGroups {
  private RunGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new StartGroup(),
        new FailGroup(),
        new ResizeGroup(),
        new ControlGroup(),
        new ScalingGroup(),
        new TigrisSortGroup());
  }
}
