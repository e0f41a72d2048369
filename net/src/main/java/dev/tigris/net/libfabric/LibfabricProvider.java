package dev.tigris.net.libfabric;

import dev.tigris.net.NetException;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Connected endpoints of libfabric: RDMA hardware through its provider `verbs`, and sockets
/// through its provider `tcp`.
public final class LibfabricProvider implements Provider {
  /// Where Linux lists RDMA devices of every make.
  private static final Path DEVICES = Path.of("/sys/class/infiniband");

  @Override
  public String name() {
    return "libfabric";
  }

  @Override
  public Optional<String> obstacle() {
    return Library.obstacle();
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return hasDevice()
        ? Optional.empty()
        : Optional.of(
            "there is no RDMA device in "
                + DEVICES
                + ", and over sockets it is no faster than tcp");
  }

  private static boolean hasDevice() {
    if (!Files.isDirectory(DEVICES)) {
      return false;
    }
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(DEVICES)) {
      return devices.iterator().hasNext();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public Carrier open() {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new NetException("open", name(), obstacle.get(), null);
    }
    try {
      return new LibfabricCarrier(Library.load("libfabric"));
    } catch (LibfabricException e) {
      throw new NetException("open", name(), String.valueOf(e.getMessage()), e);
    }
  }
}
