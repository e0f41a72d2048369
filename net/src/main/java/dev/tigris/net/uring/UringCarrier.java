package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.AddressesInTurn;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.IoUring;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Connects and listens. It holds nothing: ports, links and listeners are their owners'.
final class UringCarrier implements Carrier {
  private final IoUring.Polling polling;

  UringCarrier(IoUring.Polling polling) {
    this.polling = polling;
  }

  @Override
  public Port port() {
    return UringPort.open(polling);
  }

  @Override
  public ProviderListener listen(String address) {
    return new UringListener(address, HandshakeListener.HANDSHAKE_NANOS);
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    return AddressesInTurn.connect(
        address,
        timeoutNanos,
        (remote, reachNanos, nanos) -> {
          Deadline deadline = Deadline.in(nanos);
          try {
            TcpSocket socket = TcpSocket.connect(remote, reachNanos);
            return ask(
                socket,
                Hello.request(tag, attributes),
                deadline,
                answer ->
                    ConnectResult.answered(
                        tag,
                        answer,
                        "a Tigris listener does",
                        most -> ((UringPort) port).link(socket, address, attributes, most)));
          } catch (SystemException e) {
            return TcpAddress.unreachable(address, e);
          }
        });
  }

  /// Takes the descriptor from the JDK, which tells it of no other way: see [TcpSocket#adopt].
  @Override
  public ConnectResult adopt(
      SocketChannel channel, long tag, Port port, Attributes attributes, long timeoutNanos) {
    String peer = channel.toString();
    try (channel) {
      peer = TcpAddress.format((InetSocketAddress) channel.getRemoteAddress());
      TcpSocket socket = TcpSocket.adopt(channel);
      String name = peer;
      return ask(
          socket,
          Hello.request(tag, attributes),
          Deadline.in(timeoutNanos),
          said ->
              ConnectResult.met(
                  tag, said, most -> ((UringPort) port).link(socket, name, attributes, most)));
    } catch (SystemException e) {
      return TcpAddress.unreachable(peer, e);
    } catch (IOException e) {
      throw new NetException("adopt", peer, String.valueOf(e.getMessage()), e);
    }
  }

  /// Sends a request, and takes what the peer says; closes the socket if no link comes of it.
  private static ConnectResult ask(
      TcpSocket socket,
      Hello request,
      Deadline deadline,
      Function<@Nullable Hello, ConnectResult> answered)
      throws SystemException {
    boolean kept = false;
    try {
      socket.sendAtOnce();
      socket.send(request.toBytes());
      byte[] bytes = socket.receiveAll(Hello.BYTES, deadline.leftNanos());
      if (bytes == null) {
        return ConnectResult.closedWithoutAnswer("TLS or something else");
      }
      if (Hello.isOfTls(ByteBuffer.wrap(bytes).position(bytes.length))) {
        return ConnectResult.expectsTls();
      }
      ConnectResult result = answered.apply(bytes.length < Hello.BYTES ? null : Hello.from(bytes));
      kept = result instanceof ConnectResult.Connected;
      return result;
    } finally {
      if (!kept) {
        socket.close();
      }
    }
  }

  @Override
  public void close() {}
}
