package dev.tigris.net.libfabric;

import dev.tigris.memory.View;
import dev.tigris.net.Attributes;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.RemoteLink;
import java.util.ArrayList;
import java.util.List;

/// A link with an endpoint of its own: when that is closed, nothing touches memory any more. So it
/// can let the peer access some.
final class ConnectedLink extends LibfabricLink implements RemoteLink {
  /// Memory that the peer may access: held until the endpoint is closed, which a link that says
  /// goodbye does later than the interface is, since an access may be under way.
  private final List<View> exposed = new ArrayList<>();

  ConnectedLink(
      Channel channel, String peer, Attributes attributes, Greeting ours, Greeting theirs) {
    super(channel, peer, attributes, ours, theirs, false);
  }

  @Override
  public Exposed expose(Region region, long offset, long length, boolean writable) {
    Device device = deviceQueue.device();
    long address = region.segment().address() + offset;
    long registration = device.register(address, length, true, writable);
    if (registration < 0) {
      throw Failures.of("register memory for", peer(), device, (int) -registration);
    }
    exposed.add(region.view());
    return new Exposed(registration, device.remoteAddress(address), Device.key(registration));
  }

  @Override
  public void withdraw(Exposed memory) {
    deviceQueue.device().deregister(memory.registration());
  }

  @Override
  void closed() {
    exposed.clear();
  }
}
