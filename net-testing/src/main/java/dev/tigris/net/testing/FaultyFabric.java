package dev.tigris.net.testing;

import dev.tigris.net.Fabric;
import dev.tigris.net.provider.Provider;
import java.util.Objects;

/// Opens providers that break their promises on purpose, for tests of what is built on top.
public final class FaultyFabric {
  private FaultyFabric() {}

  /// Opens a provider of this name whose messages have faults.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  /// @throws dev.tigris.net.NetException if it cannot be used here, with the reason
  public static Fabric open(String provider, Faults faults) {
    return open(Fabric.provider(provider), faults);
  }

  /// Opens a provider whose messages have faults.
  ///
  /// @throws dev.tigris.net.NetException if it cannot be used here, with the reason
  public static Fabric open(Provider provider, Faults faults) {
    Objects.requireNonNull(faults);
    return Fabric.open(new FaultyProvider(provider, faults));
  }
}
