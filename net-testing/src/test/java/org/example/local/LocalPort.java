package org.example.local;

import dev.tigris.net.provider.LinkList;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.StreamBuffers;

/// The links of a thread. Peers wake it when there is something to do.
final class LocalPort extends Port {
  final LinkList<LocalLink> links = new LinkList<>();
  final StreamBuffers buffers = new StreamBuffers();

  @Override
  public void progress() {
    for (int i = links.size() - 1; i >= 0; i--) { // backwards: a link may remove itself
      links.get(i).progress();
    }
    LocalLink overdue = links.overdue();
    if (overdue != null) {
      overdue.release();
    }
    buffers.look();
  }

  @Override
  public boolean canChangeThread() {
    return true;
  }

  @Override
  public void close() {
    awaitLingering(() -> !links.isEmpty());
    while (!links.isEmpty()) {
      links.get(0).release();
    }
  }
}
