package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.linux.TcpSocket;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Reception;
import dev.tigris.net.tcp.TcpAddress;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// A listening socket, where those who want to connect leave their cards.
final class RdmDoor extends Reception<RdmDoor.Unheard> {
  private final RdmCarrier carrier;
  private final String address;
  private final TcpSocket server;
  private final PollSet all;
  private boolean closed;

  /// A socket whose card has not arrived completely.
  static final class Unheard extends Silent {
    final TcpSocket socket;
    final byte[] card = new byte[Card.BYTES];
    int read;

    Unheard(TcpSocket socket) {
      this.socket = socket;
    }

    @Override
    protected void close() {
      socket.close();
    }
  }

  RdmDoor(RdmCarrier carrier, String address) {
    super(HANDSHAKE_NANOS);
    this.carrier = carrier;
    try (Opened opened = new Opened()) {
      this.server = opened.add(TcpSocket.listen(TcpAddress.parse(address), MOST_SILENT));
      this.address = TcpAddress.format(server.localAddress());
      this.all = opened.add(new PollSet());
      opened.keep();
    } catch (SystemException e) {
      throw Failures.of("listen at", address, e);
    }
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
    forgetTheSilent();
    for (TcpSocket socket = next(); socket != null; socket = next()) {
      silent.add(new Unheard(socket));
    }
    for (Iterator<Unheard> each = silent.iterator(); each.hasNext(); ) {
      Unheard next = each.next();
      if (!hear(next)) {
        next.socket.close();
        each.remove();
      } else if (next.read == Card.BYTES) {
        each.remove();
        heard(next.socket, Card.from(next.card));
      }
    }
  }

  /// The next socket that waits; null if none does, or who did has given up.
  private @Nullable TcpSocket next() {
    try {
      return server.accept();
    } catch (SystemException e) {
      if (e.error() == SystemException.TOO_MANY_FILES || e.error() == SystemException.NO_MEMORY) {
        throw Failures.of("listen at", address, e);
      }
      return null;
    }
  }

  /// Reads what is there; returns whether more may come.
  private static boolean hear(Unheard from) {
    try {
      int read = from.socket.receive(from.card, from.read);
      from.read += read;
      return read > 0;
    } catch (SystemException e) {
      return e.error() == SystemException.AGAIN;
    }
  }

  private void heard(TcpSocket socket, @Nullable Card card) {
    Hello hello = card == null ? null : card.greeting().hello();
    if (card == null || hello == null) {
      socket.close();
    } else if (hello.version() != Hello.VERSION) {
      boolean _ = answer(socket, Card.refusal(hello.answered(Hello.Answer.OTHER_VERSION, 0)));
      socket.close();
    } else {
      ready.add(new Request(socket, card, nameOf(socket)));
    }
  }

  /// Whether the answer could be sent: the socket's buffer is empty, so there is room.
  static boolean answer(TcpSocket socket, Card answer) {
    try {
      return socket.send(answer.toBytes()) == Card.BYTES;
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
    if (!closed) {
      closed = true;
      turnAway();
      all.close();
      server.close();
    }
  }

  /// Somebody who wants to connect.
  private final class Request implements Knock {
    private final TcpSocket socket;
    private final Card card;
    private final String peer;

    Request(TcpSocket socket, Card card, String peer) {
      this.socket = socket;
      this.card = card;
      this.peer = peer;
    }

    @Override
    public long tag() {
      return card.greeting().hello().tag();
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      boolean kept = false;
      try {
        Link link = carrier.accept(socket, card, peer, (LibfabricPort) port, attributes);
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
      Hello hello = card.greeting().hello();
      boolean _ = answer(socket, Card.refusal(hello.answered(Hello.Answer.REJECTED, 0)));
      socket.close();
    }
  }
}
