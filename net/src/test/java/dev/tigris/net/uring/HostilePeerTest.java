package dev.tigris.net.uring;

import dev.tigris.net.provider.ProviderListener;
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
  protected ProviderListener listener(String address, long handshakeNanos) {
    return new UringListener(address, handshakeNanos);
  }
}
