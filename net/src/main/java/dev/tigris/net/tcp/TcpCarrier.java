package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.AddressesInTurn;
import dev.tigris.net.socket.TcpAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// Connects and listens. It holds nothing: ports, links and listeners are their owners'.
final class TcpCarrier implements Carrier {
  private final @Nullable Tls tls;

  TcpCarrier(@Nullable Tls tls) {
    this.tls = tls;
  }

  @Override
  public Port port() {
    return new TcpPort();
  }

  @Override
  public ProviderListener listen(String address) {
    return new TcpListener(address, HandshakeListener.HANDSHAKE_NANOS, tls);
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    return AddressesInTurn.connect(
        address,
        timeoutNanos,
        (remote, reachNanos, nanos) ->
            connect(
                remote,
                address,
                tag,
                (TcpPort) port,
                attributes,
                Deadline.in(reachNanos),
                Deadline.in(nanos)));
  }

  private ConnectResult connect(
      InetSocketAddress remote,
      String address,
      long tag,
      TcpPort port,
      Attributes attributes,
      Deadline toReach,
      Deadline deadline) {
    SocketChannel channel = null;
    boolean kept = false;
    try {
      channel = SocketChannel.open();
      reach(channel, remote, toReach);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      Wire wire = tls == null ? new PlainWire(channel) : TlsWire.connecting(channel, tls, remote);
      ByteBuffer said = ask(wire, Hello.request(tag, attributes), deadline);
      if (said.position() == 0) {
        return ConnectResult.closedWithoutAnswer(tls == null ? "TLS or something else" : "no TLS");
      }
      Hello answer = said.hasRemaining() ? null : Hello.from(said);
      ConnectResult result =
          tls == null && Hello.isOfTls(said)
              ? ConnectResult.expectsTls()
              : ConnectResult.answered(
                  tag,
                  answer,
                  expected(),
                  most -> new TcpLink(port, wire, address, attributes, most));
      kept = result instanceof ConnectResult.Connected;
      return result;
    } catch (SSLException e) {
      return ConnectResult.refused(
          TlsWire.isAboutTrust(e) ? Reason.NOT_TRUSTED : Reason.INCOMPATIBLE,
          "no TLS with it: " + TlsWire.describe(e));
    } catch (SocketTimeoutException e) {
      return ConnectResult.timedOut();
    } catch (BindException e) {
      throw TcpAddress.notAvailable(address, e);
    } catch (ConnectException | NoRouteToHostException e) {
      return ConnectResult.nobodyListens(String.valueOf(e.getMessage()));
    } catch (ClosedByInterruptException e) {
      throw new NetException("connect to", address, "the thread was interrupted", e);
    } catch (IOException e) {
      throw new NetException("connect to", address, String.valueOf(e.getMessage()), e);
    } finally {
      if (channel != null && !kept) {
        closeQuietly(channel);
      }
    }
  }

  private String expected() {
    return "a Tigris listener does" + (tls == null ? "" : ", one with TLS");
  }

  /// Both sides send a request, and take that of the other for the answer.
  @Override
  public ConnectResult adopt(
      SocketChannel socket, long tag, Port port, Attributes attributes, long timeoutNanos) {
    if (tls != null) {
      throw new UnsupportedOperationException(
          "TLS begins with the side that has connected, and neither side of an adopted connection"
              + " has: adopt it by a fabric without TLS, or connect anew");
    }
    boolean kept = false;
    try {
      Deadline deadline = Deadline.in(timeoutNanos);
      String peer = TcpAddress.format((InetSocketAddress) socket.getRemoteAddress());
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.configureBlocking(false);
      Wire wire = new PlainWire(socket);
      ByteBuffer said = ask(wire, Hello.request(tag, attributes), deadline);
      if (said.position() == 0) {
        return ConnectResult.closedWithoutAnswer();
      }
      Hello hello = said.hasRemaining() ? null : Hello.from(said);
      ConnectResult result =
          ConnectResult.met(
              tag, hello, most -> new TcpLink((TcpPort) port, wire, peer, attributes, most));
      kept = result instanceof ConnectResult.Connected;
      return result;
    } catch (SocketTimeoutException e) {
      return ConnectResult.timedOut();
    } catch (ClosedByInterruptException e) {
      throw new NetException("adopt", socket.toString(), "the thread was interrupted", e);
    } catch (IOException e) {
      throw new NetException("adopt", socket.toString(), String.valueOf(e.getMessage()), e);
    } finally {
      if (!kept) {
        closeQuietly(socket);
      }
    }
  }

  /// Connects a channel. The listener may close, or reset, a connection before this side has
  /// seen that it was made.
  ///
  /// @throws ConnectException also if the connection was reset
  private static void reach(SocketChannel channel, InetSocketAddress remote, Deadline deadline)
      throws IOException {
    try {
      channel.socket().connect(remote, leftMillis(deadline));
    } catch (BindException | ConnectException | NoRouteToHostException e) {
      throw e;
    } catch (SocketException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw (ClosedByInterruptException) new ClosedByInterruptException().initCause(e);
      }
      throw (ConnectException) new ConnectException(e.getMessage()).initCause(e);
    }
  }

  /// Sends a request and reads the answer; returns as much of it as came before the peer closed.
  private static ByteBuffer ask(Wire wire, Hello hello, Deadline deadline) throws IOException {
    ByteBuffer request = hello.toBytes();
    ByteBuffer answer = Hello.buffer();
    try (Selector selector = Selector.open()) {
      SelectionKey key = wire.channel().register(selector, SelectionKey.OP_READ);
      while (true) {
        try {
          wire.write(request);
          if (wire.read(answer) < 0 || !answer.hasRemaining()) {
            return answer;
          }
        } catch (SSLException e) {
          throw e;
        } catch (IOException reset) {
          return answer;
        }
        boolean needsRoom = wire.isPending() || (wire.isOpen() && request.hasRemaining());
        key.interestOps(SelectionKey.OP_READ | (needsRoom ? SelectionKey.OP_WRITE : 0));
        int leftMillis = leftMillis(deadline);
        if (!wire.hasMore() || wire.isPending()) { // else the selector knows nothing of it
          selector.select(ready -> {}, leftMillis);
        }
        if (Thread.currentThread().isInterrupted()) {
          throw new ClosedByInterruptException();
        }
      }
    }
  }

  @Override
  public void close() {}

  static void closeQuietly(@Nullable Closeable channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException alreadyUseless) {
      // nothing is left that could be done with it
    }
  }

  /// What is left, at least 1: sockets take 0 as for ever.
  private static int leftMillis(Deadline deadline) throws SocketTimeoutException {
    long left = deadline.leftNanos();
    if (left <= 0) {
      throw new SocketTimeoutException();
    }
    return Math.clamp(left / 1_000_000, 1, Integer.MAX_VALUE);
  }
}
