package dev.tigris.bench.papers;

import dev.tigris.bench.Group;
import java.util.List;

/// The papers' tables of objects and buffers; those about dataflow stand with the flow's figures.
public final class PaperGroups {
  private PaperGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ForeignCallGroup(), new ObjectTableGroup(), new PatchGroup(), new CollectorGroup());
  }
}
