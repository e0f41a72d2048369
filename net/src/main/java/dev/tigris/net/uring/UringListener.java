package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.socket.SocketListener;
import dev.tigris.os.TcpSocket;

/// A listening socket, where a request is a [Hello].
final class UringListener extends SocketListener {
  UringListener(String address, long handshakeNanos) {
    super(address, handshakeNanos, Hello.BYTES);
  }

  @Override
  protected void heard(TcpSocket socket, byte[] request) {
    heard(new Connected(socket, nameOf(socket)), Hello.from(request));
  }

  private record Connected(TcpSocket socket, String name) implements Caller {
    @Override
    public Link link(Port port, Attributes attributes, long peerMaximum) {
      return ((UringPort) port).link(socket, name, attributes, peerMaximum);
    }

    @Override
    public boolean answer(Hello answer) {
      return SocketListener.answer(socket, answer.toBytes());
    }

    @Override
    public void close() {
      socket.close();
    }
  }
}
