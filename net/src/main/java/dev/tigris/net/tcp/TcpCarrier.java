package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Door;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Linking;
import dev.tigris.net.provider.Port;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// Connects and listens. It holds nothing: ports, links and doors are their owners'.
final class TcpCarrier implements Carrier {
  @Override
  public Port port() {
    return new TcpPort();
  }

  @Override
  public Door listen(String address) {
    return new TcpDoor(address, TcpDoor.HANDSHAKE_NANOS);
  }

  @Override
  public Linking connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    InetSocketAddress remote = TcpAddress.parse(address);
    SocketChannel channel = null;
    boolean kept = false;
    try {
      channel = SocketChannel.open();
      Deadline deadline = new Deadline(timeoutNanos);
      channel.socket().connect(remote, deadline.leftMillis());
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.write(Hello.request(tag, attributes).toBytes());
      Hello answer = readAnswer(channel, deadline);
      if (answer != null && answer.version() != Hello.VERSION) {
        return Linking.refused(
            Reason.INCOMPATIBLE,
            "%s speaks version %d of the protocol, and this side %d"
                .formatted(address, answer.version(), Hello.VERSION));
      }
      if (answer != null && answer.tag() == tag && answer.answer() == Hello.Answer.REJECTED) {
        return Linking.refused(Reason.REJECTED, "%s rejected tag %d".formatted(address, tag));
      }
      if (answer == null || answer.tag() != tag || answer.answer() != Hello.Answer.ACCEPTED) {
        return Linking.refused(
            Reason.INCOMPATIBLE, address + " did not answer as a Tigris listener does");
      }
      channel.configureBlocking(false);
      kept = true;
      return new Linking.Linked(
          new TcpLink((TcpPort) port, channel, address, attributes, answer.maximumMessageBytes()));
    } catch (SocketTimeoutException e) {
      return Linking.refused(Reason.TIMED_OUT, address + " did not answer in time");
    } catch (ConnectException | NoRouteToHostException e) {
      return Linking.refused(Reason.NOBODY_LISTENS, address + ": " + e.getMessage());
    } catch (IOException e) {
      throw new NetException("connect to", address, String.valueOf(e.getMessage()), e);
    } finally {
      if (channel != null && !kept) {
        closeQuietly(channel);
      }
    }
  }

  /// Reads an answer; returns null if something else came, or the peer closed first.
  private static @Nullable Hello readAnswer(SocketChannel channel, Deadline deadline)
      throws IOException {
    byte[] bytes = new byte[Hello.BYTES];
    InputStream in = channel.socket().getInputStream();
    for (int read = 0; read < bytes.length; ) {
      channel.socket().setSoTimeout(deadline.leftMillis());
      int n;
      try {
        n = in.read(bytes, read, bytes.length - read);
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (IOException reset) {
        return null;
      }
      if (n < 0) {
        return null;
      }
      read += n;
    }
    return Hello.from(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  @Override
  public void close() {}

  static void closeQuietly(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException alreadyUseless) {
      // nothing is left that could be done with it
    }
  }

  /// When an operation must have ended.
  private record Deadline(long start, long nanos) {
    Deadline(long nanos) {
      this(System.nanoTime(), nanos);
    }

    /// What is left, at least 1: sockets take 0 as for ever.
    int leftMillis() throws SocketTimeoutException {
      long left = nanos - (System.nanoTime() - start);
      if (left <= 0) {
        throw new SocketTimeoutException();
      }
      return (int) Math.min(Integer.MAX_VALUE, Math.max(1, left / 1_000_000));
    }
  }
}
