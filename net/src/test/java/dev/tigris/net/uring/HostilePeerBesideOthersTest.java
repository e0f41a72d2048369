package dev.tigris.net.uring;

import dev.tigris.net.provider.ProviderListener;
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
  protected ProviderListener listener(String address, long handshakeNanos) {
    return new UringListener(address, handshakeNanos);
  }
}
