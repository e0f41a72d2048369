package dev.tigris.net.uring;

import dev.tigris.net.provider.Door;
import dev.tigris.net.tcp.HostilePeerContract;

class HostilePeerTest extends HostilePeerContract {
  HostilePeerTest() {
    super("uring");
  }

  @Override
  protected Door door(String address, long handshakeNanos) {
    return new UringDoor(address, handshakeNanos);
  }
}
