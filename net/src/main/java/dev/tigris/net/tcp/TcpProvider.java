package dev.tigris.net.tcp;

import dev.tigris.net.Tls;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.socket.TcpAddress;
import java.util.Objects;
import java.util.Optional;

/// TCP through the JDK's channels: runs everywhere, and every other provider is compared with it.
public final class TcpProvider implements Provider {
  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public Kind kind() {
    return Kind.SOCKET;
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return TcpAddress.obstacleTo(host);
  }

  @Override
  public Carrier open() {
    return new TcpCarrier(null);
  }

  @Override
  public Carrier open(Tls tls) {
    return new TcpCarrier(Objects.requireNonNull(tls));
  }
}
