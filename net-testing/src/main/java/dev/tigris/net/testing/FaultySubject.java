package dev.tigris.net.testing;

import dev.tigris.net.Fabric;

/// A provider under test behind the wrapper that [FaultyFabric] opens.
///
/// @param provider the name of the provider that is wrapped
/// @param anyAddress an address of its form that nobody else uses
/// @param faults that its messages have
public record FaultySubject(String provider, String anyAddress, Faults faults)
    implements FabricContract.Subject {
  /// Wraps a provider, and adds no faults.
  public FaultySubject(String provider, String anyAddress) {
    this(provider, anyAddress, Faults.NONE);
  }

  @Override
  public Fabric open() {
    return FaultyFabric.open(provider, faults);
  }
}
