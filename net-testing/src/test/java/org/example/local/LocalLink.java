package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.StreamLink;

/// One side of a connection.
final class LocalLink extends StreamLink {
  LocalLink(LocalPort port, Pipe.End stream, String peer, Attributes attributes, long peerMaximum) {
    super(port, stream, peer, attributes, peerMaximum);
    stream.attach(port);
    port.add(this);
  }
}
