package dev.tigris.verify.simulator;

import dev.tigris.net.provider.Port;
import java.util.ArrayList;
import java.util.List;

/// The connections of an actor. It stays with that: a helper would take turns of its own.
final class WirePort extends Port {
  private final Wires wires;
  private final List<WireLink> links = new ArrayList<>();

  WirePort(Wires wires) {
    this.wires = wires;
  }

  boolean lends() {
    return wires.lends();
  }

  void add(WireLink link) {
    links.add(link);
  }

  void remove(WireLink link) {
    boolean _ = links.remove(link);
  }

  @Override
  public void progress() {
    for (int i = links.size() - 1; i >= 0; i--) { // backwards: a link may remove itself
      links.get(i).progress();
    }
  }

  @Override
  public void park(long nanos) {
    wires.await();
  }

  @Override
  public void close() {}
}
