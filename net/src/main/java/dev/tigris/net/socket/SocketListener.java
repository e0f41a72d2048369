package dev.tigris.net.socket;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// A listening socket with a descriptor, and the connections that have not yet said what they want:
/// each does so in a request of the same length. It is no fast path, so it polls and makes plain
/// calls. The rules are those of `tcp`.
public abstract class SocketListener extends HandshakeListener<SocketListener.Unheard> {
  private final int requestBytes;
  private final String address;
  private final TcpSocket server;
  private final PollSet all;
  private boolean closed;

  /// A connection whose request has not arrived completely.
  public static final class Unheard extends Silent {
    private final TcpSocket socket;
    private final byte[] request;
    private int read;

    private Unheard(TcpSocket socket, int requestBytes) {
      this.socket = socket;
      this.request = new byte[requestBytes];
    }

    @Override
    protected void close() {
      socket.close();
    }
  }

  /// Listens.
  ///
  /// @param requestBytes the length of a request
  /// @throws NetException if nobody can listen there
  protected SocketListener(String address, long handshakeNanos, int requestBytes) {
    super(handshakeNanos);
    this.requestBytes = requestBytes;
    try (CloseOnFailure opened = new CloseOnFailure()) {
      this.server = opened.add(TcpSocket.listen(TcpAddress.parse(address), MOST_SILENT));
      this.address = TcpAddress.format(server.localAddress());
      this.all = opened.add(new PollSet());
      opened.keep();
    } catch (SystemException e) {
      throw TcpAddress.refused(address, e);
    }
  }

  @Override
  public final String address() {
    return address;
  }

  /// A whole request: makes the connection `ready`, or closes the socket.
  protected abstract void heard(TcpSocket socket, byte[] request);

  @Override
  protected final void look(long nanos) {
    all.clear();
    all.add(server.file());
    silent.forEach(each -> all.add(each.socket.file()));
    all.await(nanos);
    NetException full = greetAll();
    hear();
    forgetTheSilent();
    if (full != null && isAnybodyWaiting()) {
      makeRoom(full);
    }
  }

  /// Whether there is a connection to be taken. Where no file can be opened, the system says so to
  /// who accepts without a look for that.
  private boolean isAnybodyWaiting() {
    all.clear();
    all.add(server.file());
    all.look();
    return all.isReady(0);
  }

  /// Takes the connections that wait; returns the limit that has kept it from taking all of them.
  private @Nullable NetException greetAll() {
    while (true) {
      TcpSocket socket;
      try {
        socket = server.accept();
      } catch (SystemException e) {
        return switch (e.error()) {
          case SystemException.TOO_MANY_FILES,
              SystemException.TOO_MANY_FILES_OF_ALL,
              SystemException.NO_MEMORY,
              SystemException.NO_BUFFERS ->
              new NetException("listen at", address, String.valueOf(e.getMessage()), e);
          default -> null; // nobody waits any more, or whoever did has given up
        };
      }
      try {
        socket.sendAtOnce();
        silent.add(new Unheard(socket, requestBytes));
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
      } else if (next.read == requestBytes) {
        each.remove();
        heard(next.socket, next.request);
      }
    }
  }

  /// Sends an answer. The socket's buffer is empty, so there is room.
  ///
  /// @return false if the peer is gone
  public static boolean answer(TcpSocket socket, ByteBuffer answer) {
    int bytes = answer.remaining();
    try {
      return socket.send(answer) == bytes;
    } catch (SystemException goneAlready) {
      return false;
    }
  }

  /// The name of the peer, for messages.
  protected static String nameOf(TcpSocket socket) {
    try {
      return TcpAddress.format(socket.remoteAddress());
    } catch (SystemException closed) {
      return "a peer that is gone";
    }
  }

  @Override
  protected final void endWait() {
    all.wake();
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    turnAway();
    all.close();
    server.close();
  }
}
