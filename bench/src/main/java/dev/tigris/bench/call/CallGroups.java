package dev.tigris.bench.call;

import dev.tigris.bench.Group;
import java.util.List;

/// Groups of calls.
public final class CallGroups {
  private CallGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(new CallGroup("shm"), new CallGroup("tcp"));
  }
}
