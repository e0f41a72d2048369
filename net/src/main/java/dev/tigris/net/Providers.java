package dev.tigris.net;

import dev.tigris.net.libfabric.LibfabricProvider;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.shm.ShmProvider;
import dev.tigris.net.tcp.TcpProvider;
import dev.tigris.net.uring.UringProvider;
import java.util.List;
import java.util.stream.Collectors;

/// The providers there are.
final class Providers {
  private Providers() {}

  /// All of them, in the order in which the best is looked for: memory, devices, sockets.
  static List<Provider> all() {
    return List.of(
        new ShmProvider(),
        new LibfabricProvider(true),
        new LibfabricProvider(false),
        new UringProvider(),
        new TcpProvider());
  }

  static Provider named(String name) {
    return all().stream()
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no provider %s; there are %s"
                        .formatted(
                            name,
                            all().stream().map(Provider::name).collect(Collectors.joining(", ")))));
  }
}
