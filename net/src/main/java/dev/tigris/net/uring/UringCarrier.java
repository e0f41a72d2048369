package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.linux.IoUring;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.linux.TcpSocket;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Door;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Linking;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Reception;
import dev.tigris.net.tcp.TcpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
  public Door listen(String address) {
    return new UringDoor(address, Reception.HANDSHAKE_NANOS);
  }

  @Override
  public Linking connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    InetSocketAddress remote = TcpAddress.parse(address);
    long start = System.nanoTime();
    TcpSocket socket = null;
    boolean kept = false;
    try {
      socket = TcpSocket.connect(remote, timeoutNanos);
      socket.sendAtOnce();
      socket.send(Hello.request(tag, attributes).toBytes());
      Hello answer = readAnswer(socket, start, timeoutNanos);
      Linking refusal = Linking.refusal(address, tag, answer, "a Tigris listener does");
      if (refusal != null) {
        return refusal;
      }
      kept = true;
      return new Linking.Linked(
          ((UringPort) port)
              .link(
                  socket,
                  address,
                  attributes,
                  Objects.requireNonNull(answer).maximumMessageBytes()));
    } catch (SystemException e) {
      return switch (e.error()) {
        case SystemException.TIMED_OUT ->
            Linking.refused(Reason.TIMED_OUT, address + " did not answer in time");
        case SystemException.CONNECTION_REFUSED,
            SystemException.HOST_UNREACHABLE,
            SystemException.NETWORK_UNREACHABLE ->
            Linking.refused(Reason.NOBODY_LISTENS, address + ": " + e.getMessage());
        default -> throw new NetException("connect to", address, String.valueOf(e.getMessage()), e);
      };
    } finally {
      if (socket != null && !kept) {
        socket.close();
      }
    }
  }

  /// Reads an answer; returns null if something else came, or the peer closed first.
  private static @Nullable Hello readAnswer(TcpSocket socket, long start, long timeoutNanos)
      throws SystemException {
    byte[] bytes = new byte[Hello.BYTES];
    for (int read = 0; read < bytes.length; ) {
      int n;
      try {
        n = socket.receive(bytes, read, timeoutNanos - (System.nanoTime() - start));
      } catch (SystemException e) {
        if (e.error() == SystemException.CONNECTION_RESET) {
          return null;
        }
        throw e;
      }
      if (n == 0) {
        return null;
      }
      read += n;
    }
    return Hello.from(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  @Override
  public void close() {}
}
