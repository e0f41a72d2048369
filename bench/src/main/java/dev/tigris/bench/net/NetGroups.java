package dev.tigris.bench.net;

import dev.tigris.bench.Group;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Groups of module net.
public final class NetGroups {
  private NetGroups() {}

  /// In the order in which they are measured.
  public static List<Group> all() {
    List<Contestant> netty = Arrays.stream(NettyKind.values()).map(NettyKind::contestant).toList();
    return List.of(group(Wire.tcp(), netty), acrossHosts(Wire.tcp(), netty));
  }

  private static Group group(Wire wire, List<Contestant> rivals) {
    return new InterfaceGroup(
        "net." + wire.name(),
        wire.obstacle(),
        wire.onNetwork() ? Place::loopback : Place::host,
        InterfaceGroup.Sizes.ALL,
        wire.subject(),
        withTwin(wire, rivals));
  }

  /// Between two network namespaces, which are to each other as two hosts with a fast cable.
  private static Group acrossHosts(Wire wire, List<Contestant> rivals) {
    return new InterfaceGroup(
        "net." + wire.name() + ".veth",
        wire.obstacle().or(Place::namespaceObstacle),
        Place::veth,
        InterfaceGroup.Sizes.FEW,
        wire.subject(),
        withTwin(wire, rivals));
  }

  private static List<Contestant> withTwin(Wire wire, List<Contestant> rivals) {
    List<Contestant> all = new ArrayList<>(List.of(wire.twin()));
    all.addAll(rivals);
    return all;
  }
}
