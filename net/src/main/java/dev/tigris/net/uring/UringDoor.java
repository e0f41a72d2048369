package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.linux.TcpSocket;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.tcp.SocketDoor;

/// A listening socket, where a request is a [Hello].
final class UringDoor extends SocketDoor {
  UringDoor(String address, long handshakeNanos) {
    super(address, handshakeNanos, Hello.BYTES);
  }

  @Override
  protected void heard(TcpSocket socket, byte[] request) {
    Hello hello = Hello.from(request);
    if (hello == null) {
      socket.close();
    } else if (hello.version() != Hello.VERSION) {
      answer(socket, hello.answered(Hello.Answer.OTHER_VERSION, 0));
      socket.close();
    } else {
      ready.add(new Request(socket, hello, nameOf(socket)));
    }
  }

  /// Whether the answer could be sent.
  private static boolean answer(TcpSocket socket, Hello answer) {
    return answer(socket, answer.toBytes());
  }

  /// A whole request.
  private record Request(TcpSocket socket, Hello hello, String peer) implements Knock {
    @Override
    public long tag() {
      return hello.tag();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      boolean answered =
          answer(socket, hello.answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes()));
      UringLink link =
          ((UringPort) port).link(socket, peer, attributes, hello.maximumMessageBytes());
      if (!answered) {
        link.fail("the peer has given up connecting");
      }
      return link;
    }

    @Override
    public void reject() {
      answer(socket, hello.answered(Hello.Answer.REJECTED, 0));
      socket.close();
    }
  }
}
