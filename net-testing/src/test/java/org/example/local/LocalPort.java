package org.example.local;

import dev.tigris.net.provider.StreamPort;

/// The links of a thread. Peers wake it when there is something to do.
final class LocalPort extends StreamPort {
  @Override
  public boolean canChangeThread() {
    return true;
  }
}
