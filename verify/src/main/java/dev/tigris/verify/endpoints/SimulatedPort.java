package dev.tigris.verify.endpoints;

import dev.tigris.net.provider.Port;
import java.util.ArrayList;
import java.util.List;

/// The port of a simulated host: moves the messages of its links, and wakes its thread.
final class SimulatedPort extends Port {
  final SimulatedNetwork.Host host;
  private final Turns.Turn owner;
  private final List<SimulatedLink> links = new ArrayList<>();

  SimulatedPort(SimulatedNetwork.Host host, Turns.Turn owner) {
    this.host = host;
    this.owner = owner;
  }

  void add(SimulatedLink link) {
    links.add(link);
    host.links.add(link);
  }

  void remove(SimulatedLink link) {
    boolean _ = links.remove(link);
    boolean _ = host.links.remove(link);
  }

  @Override
  public void progress() {
    for (int i = links.size() - 1; i >= 0; i--) {
      links.get(i).progress();
    }
  }

  @Override
  public void wake() {
    super.wake();
    host.network().turns.wake(owner);
  }

  @Override
  public void close() {}
}
