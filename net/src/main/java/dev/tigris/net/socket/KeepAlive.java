package dev.tigris.net.socket;

import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/// How the kernel asks the peer's one whether it is there, while nothing else is under way. The
/// kernel of a process that is stopped, or computes, answers. A host that has died does not: then
/// the connection breaks.
///
/// @param idleSeconds after which time without a sign it asks
/// @param intervalSeconds how long it waits for each answer
public record KeepAlive(int idleSeconds, int intervalSeconds) {
  private static final int PROBES = 4;

  /// Returns the one that breaks a connection after so long a silence.
  public static KeepAlive within(Duration silence) {
    int seconds = (int) silence.toSeconds();
    int interval = Math.max(1, seconds / (PROBES + 2));
    return new KeepAlive(Math.max(1, seconds - PROBES * interval), interval);
  }

  /// Begins it on a channel. The numbers are options of the platform, which are left as they are
  /// where it has none.
  public void begin(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    for (SocketOption<?> option : channel.supportedOptions()) {
      switch (option.name()) {
        case "TCP_KEEPIDLE" -> set(channel, option, idleSeconds);
        case "TCP_KEEPINTERVAL" -> set(channel, option, intervalSeconds);
        case "TCP_KEEPCOUNT" -> set(channel, option, PROBES);
        default -> {}
      }
    }
  }

  /// Begins it on a socket.
  public void begin(TcpSocket socket) throws SystemException {
    socket.keepAlive(idleSeconds, intervalSeconds, PROBES);
  }

  /// These options are those of a module that need not be there, so they are found by their names.
  @SuppressWarnings("unchecked") // each of them is of this type
  private static void set(SocketChannel channel, SocketOption<?> option, int value)
      throws IOException {
    channel.setOption((SocketOption<Integer>) option, value);
  }
}
