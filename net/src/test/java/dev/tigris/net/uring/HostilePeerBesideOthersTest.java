package dev.tigris.net.uring;

import dev.tigris.net.provider.Door;
import dev.tigris.net.tcp.HostilePeerContract;
import org.junit.jupiter.api.condition.EnabledIf;

/// As [HostilePeerTest], where messages arrive by the ring.
@EnabledIf(
    value = "dev.tigris.net.uring.IoUringHere#isAllowed",
    disabledReason = "io_uring is missing here, or forbidden")
class HostilePeerBesideOthersTest extends HostilePeerContract {
  HostilePeerBesideOthersTest() {
    super("uring", UringPort.FEW);
  }

  @Override
  protected Door door(String address, long handshakeNanos) {
    return new UringDoor(address, handshakeNanos);
  }
}
