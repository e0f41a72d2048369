package dev.tigris.message.call;

import dev.tigris.net.Attributes;
import dev.tigris.net.Tls;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import java.util.Optional;

/// A provider that wraps another one, and lets a test decide about attempts to connect.
///
/// @param inner what carries the messages
/// @param hook that is asked at each attempt
record HookedProvider(Provider inner, Hook hook) implements Provider {
  /// Decides about an attempt.
  interface Hook {
    /// Returns what comes of an attempt, or throws that; null to make it.
    ConnectResult attempt(String address, long timeoutNanos);
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public Kind kind() {
    return inner.kind();
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return inner.obstacleTo(host);
  }

  @Override
  public Carrier open(Tls tls) {
    throw new UnsupportedOperationException("tests hook no TLS");
  }

  @Override
  public Carrier open() {
    Carrier carrier = inner.open();
    return new Carrier() {
      @Override
      public Port port() {
        return carrier.port();
      }

      @Override
      public ProviderListener listen(String address) {
        return carrier.listen(address);
      }

      @Override
      public ConnectResult connect(
          String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
        ConnectResult decided = hook.attempt(address, timeoutNanos);
        return decided != null
            ? decided
            : carrier.connect(address, tag, port, attributes, timeoutNanos);
      }

      @Override
      public void close() {
        carrier.close();
      }
    };
  }
}
