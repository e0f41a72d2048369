package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.IoUring;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.net.InetSocketAddress;
import java.util.Objects;

/// Connects and listens. It holds nothing: ports, links and doors are their owners'.
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
    InetSocketAddress remote = TcpAddress.parse(address);
    Deadline deadline = Deadline.in(timeoutNanos);
    TcpSocket socket = null;
    boolean kept = false;
    try {
      socket = TcpSocket.connect(remote, deadline.leftNanos());
      socket.sendAtOnce();
      socket.send(Hello.request(tag, attributes).toBytes());
      byte[] bytes = socket.receiveAll(Hello.BYTES, deadline.leftNanos());
      if (bytes == null) {
        return ConnectResult.closedWithoutAnswer();
      }
      Hello answer = bytes.length < Hello.BYTES ? null : Hello.from(bytes);
      ConnectResult refusal = ConnectResult.refusal(tag, answer, "a Tigris listener does");
      if (refusal != null) {
        return refusal;
      }
      kept = true;
      return new ConnectResult.Connected(
          ((UringPort) port)
              .link(
                  socket,
                  address,
                  attributes,
                  Objects.requireNonNull(answer).maximumMessageBytes()));
    } catch (SystemException e) {
      return TcpAddress.unreachable(address, e);
    } finally {
      if (socket != null && !kept) {
        socket.close();
      }
    }
  }

  @Override
  public void close() {}
}
