package dev.tigris.bench.group;

import dev.tigris.bench.Group;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The figures of products and collective operations by several processes, and of the papers' ring.
public final class MemberGroups {
  private MemberGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    List<Group> all = new ArrayList<>(List.of(new ProductGroup(), new CollectiveGroup()));
    all.addAll(PaperRingGroup.all());
    return all;
  }

  /// Returns why a provider cannot be used here.
  static Optional<String> obstacle(String provider) {
    try {
      Fabric.open(provider).close();
      return Optional.empty();
    } catch (NetException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
