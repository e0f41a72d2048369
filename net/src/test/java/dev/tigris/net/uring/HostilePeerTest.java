package dev.tigris.net.uring;

import dev.tigris.net.provider.Door;
import dev.tigris.net.tcp.HostilePeerContract;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(
    value = "dev.tigris.net.uring.IoUringHere#isAllowed",
    disabledReason = "io_uring is missing here, or forbidden")
class HostilePeerTest extends HostilePeerContract {
  HostilePeerTest() {
    super("uring", 0);
  }

  @Override
  protected Door door(String address, long handshakeNanos) {
    return new UringDoor(address, handshakeNanos);
  }
}
