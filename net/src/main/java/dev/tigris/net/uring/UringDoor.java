package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.linux.TcpSocket;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Reception;
import dev.tigris.net.tcp.TcpAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// A listening socket, and the connections that have not yet said what they want: the rules are
/// those of `tcp`. It is no fast path, so it polls and makes plain calls.
final class UringDoor extends Reception<UringDoor.Unheard> {
  private final String address;
  private final TcpSocket server;
  private final PollSet all;
  private boolean closed;

  /// A connection whose request has not arrived completely.
  static final class Unheard extends Silent {
    final TcpSocket socket;
    final byte[] request = new byte[Hello.BYTES];
    int read;

    Unheard(TcpSocket socket) {
      this.socket = socket;
    }

    @Override
    protected void close() {
      socket.close();
    }
  }

  UringDoor(String address, long handshakeNanos) {
    super(handshakeNanos);
    TcpSocket listening = null;
    try {
      listening = TcpSocket.listen(TcpAddress.parse(address), MOST_SILENT);
      this.server = listening;
      this.address = TcpAddress.format(listening.localAddress());
      this.all = new PollSet();
    } catch (SystemException e) {
      if (listening != null) {
        listening.close();
      }
      throw TcpAddress.refused(address, e);
    }
  }

  private static NetException failed(String operation, String address, SystemException cause) {
    return new NetException(operation, address, String.valueOf(cause.getMessage()), cause);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  protected void look(long nanos) {
    all.clear();
    all.add(server.file());
    silent.forEach(each -> all.add(each.socket.file()));
    all.await(nanos);
    greetAll();
    hear();
    forgetTheSilent();
  }

  private void greetAll() {
    while (true) {
      TcpSocket socket;
      try {
        socket = server.accept();
      } catch (SystemException e) {
        switch (e.error()) {
          case SystemException.TOO_MANY_FILES,
              SystemException.TOO_MANY_FILES_OF_ALL,
              SystemException.NO_MEMORY,
              SystemException.NO_BUFFERS ->
              throw failed("listen at", address, e);
          default -> {
            return; // nobody waits any more, or whoever did has given up
          }
        }
      }
      try {
        socket.sendAtOnce();
        silent.add(new Unheard(socket));
      } catch (SystemException goneAlready) {
        socket.close();
      }
    }
  }

  /// Reads what has arrived on the connections that are silent still.
  private void hear() {
    for (Iterator<Unheard> each = silent.iterator(); each.hasNext(); ) {
      Unheard next = each.next();
      int read;
      try {
        read = next.socket.receive(next.request, next.read);
      } catch (SystemException e) {
        if (e.error() == SystemException.AGAIN) {
          continue;
        }
        read = 0;
      }
      next.read += read;
      if (read == 0) {
        next.socket.close();
        each.remove();
      } else if (next.read == Hello.BYTES) {
        each.remove();
        heard(
            next.socket, Hello.from(ByteBuffer.wrap(next.request).order(ByteOrder.LITTLE_ENDIAN)));
      }
    }
  }

  private void heard(TcpSocket socket, @Nullable Hello request) {
    if (request == null) {
      socket.close();
    } else if (request.version() != Hello.VERSION) {
      answer(socket, request.answered(Hello.Answer.OTHER_VERSION, 0));
      socket.close();
    } else {
      ready.add(new Request(socket, request, nameOf(socket)));
    }
  }

  /// Whether the answer could be sent: the socket's buffer is empty, so there is room.
  private static boolean answer(TcpSocket socket, Hello answer) {
    try {
      return socket.send(answer.toBytes()) == Hello.BYTES;
    } catch (SystemException goneAlready) {
      return false;
    }
  }

  private static String nameOf(TcpSocket socket) {
    try {
      return TcpAddress.format(socket.remoteAddress());
    } catch (SystemException closed) {
      return "a peer that is gone";
    }
  }

  @Override
  protected void endWait() {
    all.wake();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    turnAway();
    all.close();
    server.close();
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
        link.fail("the peer has given up connecting", null);
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
