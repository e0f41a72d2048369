package dev.tigris.net.testing;

import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import java.util.Optional;

/// A provider that wraps another.
///
/// @param inner what carries the messages
/// @param faults that they have
record FaultyProvider(Provider inner, Faults faults) implements Provider {
  @Override
  public String name() {
    return "faulty " + inner.name();
  }

  @Override
  public Kind kind() {
    return inner.kind();
  }

  @Override
  public Optional<String> obstacle() {
    return inner.obstacle();
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return inner.obstacleTo(host);
  }

  @Override
  public Carrier open() {
    return new FaultyCarrier(inner.open(), faults);
  }
}
