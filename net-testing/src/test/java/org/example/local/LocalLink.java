package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.StreamLink;

/// One side of a connection.
final class LocalLink extends StreamLink {
  private final LocalPort port;

  LocalLink(LocalPort port, Pipe.End stream, String peer, Attributes attributes, long peerMaximum) {
    super(port.buffers, stream, peer, attributes, peerMaximum);
    this.port = port;
    stream.attach(port);
    port.links.add(this);
  }

  @Override
  protected void lingers() {
    port.links.linger(this);
  }

  @Override
  protected void released(boolean abruptly) {
    port.links.remove(this);
  }
}
