package dev.tigris.net.tcp;

import dev.tigris.net.provider.ProviderListener;

class HostilePeerTest extends HostilePeerContract {
  HostilePeerTest() {
    super("tcp", 0);
  }

  @Override
  protected ProviderListener listener(String address, long handshakeNanos) {
    return new TcpListener(address, handshakeNanos, null);
  }
}
