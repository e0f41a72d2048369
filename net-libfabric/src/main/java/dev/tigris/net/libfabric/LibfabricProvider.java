package dev.tigris.net.libfabric;

import dev.tigris.net.NetException;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.socket.TcpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Connected endpoints of libfabric: of RDMA hardware through its provider `verbs`, and of sockets
/// through its provider `tcp`.
public sealed class LibfabricProvider implements Provider permits LibfabricRdmProvider {
  /// Where Linux lists RDMA devices of almost every make, each with its driver.
  private static final Path DEVICES = Path.of("/sys/class/infiniband");

  /// The drivers of those that know no connections.
  private static final Set<String> UNCONNECTED = Set.of("efa", "hfi1");

  /// Where it lists those of Slingshot, which know none either.
  private static final Path SLINGSHOT = Path.of("/sys/class/cxi");

  private final boolean connected;

  /// Makes one.
  public LibfabricProvider() {
    this(true);
  }

  /// Makes one.
  ///
  /// @param connected whether of connected endpoints, or of reliable datagrams
  LibfabricProvider(boolean connected) {
    this.connected = connected;
  }

  @Override
  public String name() {
    return connected ? "libfabric" : "libfabric-rdm";
  }

  @Override
  public Kind kind() {
    return Kind.DEVICE;
  }

  @Override
  public int rank() {
    return connected ? 1 : 0;
  }

  @Override
  public Optional<String> obstacle() {
    return Library.obstacle();
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    boolean hasDevice =
        devices(DEVICES).stream().anyMatch(device -> isUnconnected(device) != connected)
            || (!connected && !devices(SLINGSHOT).isEmpty());
    String missing =
        connected
            ? "no RDMA device with connections in " + DEVICES
            : "no device of EFA, Slingshot or Omni-Path in %s or %s".formatted(DEVICES, SLINGSHOT);
    return hasDevice
        ? TcpAddress.obstacleTo(host)
        : Optional.of("there is " + missing + ", and over sockets it is no faster than tcp");
  }

  private static boolean isUnconnected(Path device) {
    try {
      Path driver = device.resolve("device/driver").toRealPath();
      return UNCONNECTED.contains(String.valueOf(driver.getFileName()));
    } catch (IOException e) {
      return false;
    }
  }

  private static List<Path> devices(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> devices = Files.list(directory)) {
      return devices.toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public Carrier open() {
    requireUsable();
    try {
      Library library = Library.load();
      return connected ? new LibfabricCarrier(library) : new RdmCarrier(library);
    } catch (LibfabricException e) {
      throw new NetException("open", name(), String.valueOf(e.getMessage()), e);
    }
  }
}
