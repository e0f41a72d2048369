package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Group;
import dev.tigris.bench.Variant;
import dev.tigris.bench.net.ToolExchange.UcxKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Groups of modules net, message and cluster.
public final class NetGroups {
  private NetGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    Contestant ucx = ucx(Bar.UCX, UcxKind.ACTIVE_MESSAGES, "tcp");
    Contestant datagrams =
        new ToolExchange.FiPingPong(Bar.LIBFABRIC_RDM, "net", "rdm").contestant();
    Contestant libfabric = new ToolExchange.FiPingPong(Bar.LIBFABRIC, "tcp", "msg").contestant();
    List<Contestant> sockets =
        new ArrayList<>(Arrays.stream(NettyKind.values()).map(NettyKind::contestant).toList());
    sockets.addAll(List.of(ucx, libfabric));
    Contestant active = ucx(Bar.UCX, UcxKind.ACTIVE_MESSAGES, "shm");
    Contestant tagged = ucx(Bar.UCX_TAGGED, UcxKind.TAGGED_MESSAGES, "shm");
    Contestant shared = new ToolExchange.FiPingPong(Bar.LIBFABRIC, "shm", "rdm").contestant();
    Contestant aeron = AeronTransport.contestant();
    return List.of(
        here(Wire.shm(), InterfaceGroup.Sizes.ALL, List.of(active, tagged, shared, aeron)),
        new Variant(inPlace(Wire.shm(), List.of(active, aeron))),
        new Variant(oneBuffer(Wire.shm(), "", Messages.Kind.ONE_BUFFER, tagged)),
        new Variant(oneBuffer(Wire.shm(), ".inplace", Messages.Kind.ONE_BUFFER_IN_PLACE, active)),
        here(Wire.tcp(), InterfaceGroup.Sizes.ALL, sockets),
        new Variant(acrossHosts(Wire.tcp(), sockets)),
        here(Wire.uring(), InterfaceGroup.Sizes.ALL, sockets),
        new Variant(acrossHosts(Wire.uring(), sockets)),
        new Variant(polled(Wire.uring())),
        here(Wire.libfabric(), InterfaceGroup.Sizes.ALL_BRIEFLY, List.of(libfabric, ucx)),
        new Variant(acrossHosts(Wire.libfabric(), List.of(libfabric, ucx))),
        here(Wire.libfabricRdm(), InterfaceGroup.Sizes.ALL_BRIEFLY, List.of(datagrams)),
        new LevelsGroup(Wire.shm()),
        new Variant(new LevelsGroup(Wire.tcp())),
        new Variant(new LevelsGroup(Wire.uring())),
        new Variant(new LevelsGroup(Wire.libfabric())),
        new Variant(new LevelsGroup(Wire.libfabricRdm())),
        new ObjectsGroup(Wire.shm().obstacle().isEmpty() ? Wire.shm() : Wire.tcp()),
        MessageGroup.over(Wire.shm(), List.of(active, AeronTransport.ofWholeMessages())),
        MessageGroup.over(Wire.tcp(), List.of(ucx)),
        MessageGroup.over(Wire.uring(), List.of(ucx)),
        MessageGroup.papers(Wire.shm().obstacle().isEmpty() ? Wire.shm() : Wire.tcp()),
        new StreamsGroup(Wire.shm()),
        new StreamsGroup(Wire.tcp()),
        new StreamsGroup(Wire.uring()),
        new HopGroup(Wire.shm()),
        new HopGroup(Wire.tcp()),
        new HopGroup(Wire.uring()));
  }

  private static Contestant ucx(String title, UcxKind kind, String transports) {
    return new ToolExchange.Ucx(title, kind, transports).contestant();
  }

  private static Group here(Wire wire, InterfaceGroup.Sizes sizes, List<Contestant> rivals) {
    return here(wire, "", sizes, wire.subject(), beside(wire.twin(), rivals));
  }

  /// With rivals whose receivers leave messages where they are, too.
  private static Group inPlace(Wire wire, List<Contestant> rivals) {
    return here(
        wire,
        ".inplace",
        InterfaceGroup.Sizes.ALL,
        wire.subject(Messages.Kind.IN_PLACE),
        beside(wire.twinInPlace(), rivals));
  }

  /// With messages as a rival's tool has them, that sends all from one buffer.
  private static Group oneBuffer(Wire wire, String variant, Messages.Kind kind, Contestant rival) {
    return here(
        wire, variant + ".onebuffer", InterfaceGroup.Sizes.ALL, wire.subject(kind), List.of(rival));
  }

  /// With a thread of the kernel beside each process, on its processor.
  private static Group polled(Wire wire) {
    return here(
        wire,
        ".sqpoll",
        InterfaceGroup.Sizes.FEW,
        wire.polled(),
        beside(wire.twinPolled(), List.of(wire.unpolled())));
  }

  private static Group here(
      Wire wire,
      String variant,
      InterfaceGroup.Sizes sizes,
      Contestant subject,
      List<Contestant> rivals) {
    return new InterfaceGroup(
        "net." + wire.name() + variant, wire.obstacle(), wire::place, sizes, subject, rivals);
  }

  /// Between two network namespaces, which are to each other as two hosts with a fast cable.
  private static Group acrossHosts(Wire wire, List<Contestant> rivals) {
    return new InterfaceGroup(
        "net." + wire.name() + ".veth",
        wire.obstacle().or(Place::namespaceObstacle),
        Place::veth,
        InterfaceGroup.Sizes.ALL_BRIEFLY,
        wire.subject(),
        beside(wire.twin(), rivals));
  }

  private static List<Contestant> beside(Contestant twin, List<Contestant> rivals) {
    List<Contestant> all = new ArrayList<>(List.of(twin));
    all.addAll(rivals);
    return all;
  }
}
