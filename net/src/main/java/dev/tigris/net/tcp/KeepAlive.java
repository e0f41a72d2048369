package dev.tigris.net.tcp;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/// Lets the kernel ask the peer's one whether it is there, while nothing else is under way. The
/// kernel of a process that is stopped, or computes, answers. A host that has died does not: then
/// the connection breaks after 30 seconds.
///
/// The numbers are options of the platform, which are left as they are where it has none.
final class KeepAlive {
  private static final int IDLE_SECONDS = 10;
  private static final int INTERVAL_SECONDS = 5;
  private static final int PROBES = 4;

  private KeepAlive() {}

  static void begin(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    for (SocketOption<?> option : channel.supportedOptions()) {
      switch (option.name()) {
        case "TCP_KEEPIDLE" -> set(channel, option, IDLE_SECONDS);
        case "TCP_KEEPINTERVAL" -> set(channel, option, INTERVAL_SECONDS);
        case "TCP_KEEPCOUNT" -> set(channel, option, PROBES);
        default -> {}
      }
    }
  }

  /// These options are those of a module that need not be there, so they are found by their names.
  @SuppressWarnings("unchecked") // each of them is of this type
  private static void set(SocketChannel channel, SocketOption<?> option, int value)
      throws IOException {
    channel.setOption((SocketOption<Integer>) option, value);
  }
}
