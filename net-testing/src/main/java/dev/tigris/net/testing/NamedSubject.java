package dev.tigris.net.testing;

import dev.tigris.net.Fabric;

/// A provider under test that is opened by its name.
///
/// @param provider its name
/// @param anyAddress an address of its form that nobody else uses
/// @param hasHosts whether an address begins with a host
public record NamedSubject(String provider, String anyAddress, boolean hasHosts)
    implements FabricContract.Subject {
  @Override
  public Fabric open() {
    return Fabric.open(provider);
  }
}
