package dev.tigris.net.tcp;

import dev.tigris.net.provider.Door;

class HostilePeerTest extends HostilePeerContract {
  HostilePeerTest() {
    super("tcp", 0);
  }

  @Override
  protected Door door(String address, long handshakeNanos) {
    return new TcpDoor(address, handshakeNanos, null);
  }
}
