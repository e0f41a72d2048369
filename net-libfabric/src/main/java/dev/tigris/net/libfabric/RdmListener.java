package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.socket.SocketListener;
import dev.tigris.os.TcpSocket;

/// A listening socket, where peers that want to connect leave their hellos.
final class RdmListener extends SocketListener {
  private final RdmCarrier carrier;

  RdmListener(RdmCarrier carrier, String address) {
    super(address, HANDSHAKE_NANOS, RdmHello.BYTES);
    this.carrier = carrier;
  }

  @Override
  protected void heard(TcpSocket socket, byte[] request) {
    RdmHello rdmHello = RdmHello.from(request);
    Hello hello = rdmHello == null ? null : rdmHello.greeting().hello();
    if (rdmHello != null && hello != null && hello.isRequest()) {
      ready.add(new Request(socket, rdmHello, nameOf(socket)));
      return;
    }
    if (hello != null && !hello.isOfThisVersion()) {
      boolean _ = answer(socket, RdmHello.refusal(hello.answered(Hello.Answer.OTHER_VERSION, 0)));
    }
    socket.close();
  }

  /// Whether the answer could be sent.
  static boolean answer(TcpSocket socket, RdmHello answer) {
    return answer(socket, answer.toBytes());
  }

  /// A peer that wants to connect.
  private final class Request implements Waiting {
    private final TcpSocket socket;
    private final RdmHello rdmHello;
    private final String peer;

    Request(TcpSocket socket, RdmHello rdmHello, String peer) {
      this.socket = socket;
      this.rdmHello = rdmHello;
      this.peer = peer;
    }

    @Override
    public long tag() {
      return rdmHello.greeting().hello().tag();
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      boolean kept = false;
      try {
        Link link = carrier.accept(socket, rdmHello, peer, (LibfabricPort) port, attributes);
        kept = true;
        return link;
      } finally {
        if (!kept) {
          reject();
        }
      }
    }

    @Override
    public void reject() {
      Hello hello = rdmHello.greeting().hello();
      boolean _ = answer(socket, RdmHello.refusal(hello.answered(Hello.Answer.REJECTED, 0)));
      socket.close();
    }

    @Override
    public void turnAway() {
      socket.close();
    }
  }
}
