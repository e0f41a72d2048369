package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.StreamLink;
import dev.tigris.net.socket.HostWatch;
import dev.tigris.net.socket.KeepAlive;
import dev.tigris.os.TcpPeer;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// One socket, and what the selector of its port is told of it.
final class TcpLink extends StreamLink {
  private final TcpPort port;
  private final Wire wire;
  private final @Nullable Principal principal;
  private final @Nullable SelectionKey key;
  private final @Nullable HostWatch watch;

  TcpLink(TcpPort port, Wire wire, String peer, Attributes attributes, long peerMaximum) {
    super(port, wire, peer, attributes, peerMaximum);
    this.port = port;
    this.wire = wire;
    this.principal = wire.peer();
    SelectionKey registered = null;
    HostWatch watching = null;
    try {
      KeepAlive.within(attributes.silence()).begin(wire.channel());
      watching = new HostWatch(this, TcpPeer.of(wire.channel()));
      registered = port.watch(this, watching);
      if (wire.hasMore()) {
        port.comeAgain();
      }
    } catch (IOException e) {
      fail("cannot be waited for", e);
    }
    this.key = registered;
    this.watch = watching;
  }

  SocketChannel channel() {
    return wire.channel();
  }

  @Override
  public @Nullable Principal principal() {
    return principal;
  }

  @Override
  protected boolean cuts(IOException failure) {
    return failure instanceof SSLException;
  }

  @Override
  protected String describe(IOException failure) {
    return TlsWire.describe(failure);
  }

  @Override
  protected void waitsFor(boolean toRead, boolean toWrite) {
    if (key == null) {
      return;
    }
    if (toRead && !isLingering() && wire.hasMore()) {
      port.comeAgain();
    }
    int wanted = (toRead ? SelectionKey.OP_READ : 0) | (toWrite ? SelectionKey.OP_WRITE : 0);
    if (wanted != key.interestOps()) {
      key.interestOps(wanted);
      port.lookAgain();
    }
  }

  @Override
  protected void released(boolean abruptly) {
    port.removed(watch, abruptly);
  }
}
