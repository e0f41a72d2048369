package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import java.nio.channels.SocketChannel;

/// One provider opened. Any thread may call it; what it makes belongs to the calling thread.
public interface Carrier extends AutoCloseable {
  /// A port for the calling thread, which calls everything on it and on its links, except for
  /// what says otherwise.
  Port port();

  /// Listens at an address of the provider's own form.
  ///
  /// @throws dev.tigris.net.NetException if that is not possible
  ProviderListener listen(String address);

  /// Connects, and waits for the answer.
  ///
  /// @return what came of it: a refusal in every case that [dev.tigris.net.Connection.Reason] names
  /// @throws dev.tigris.net.NetException if the environment failed otherwise
  ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos);

  /// Makes a link of a socket that is connected, with a peer that does so, too, at about the same
  /// time. The socket is the provider's: it is closed if no link comes of it.
  ///
  /// @return as [#connect]
  /// @throws UnsupportedOperationException if this provider cannot
  /// @throws dev.tigris.net.NetException if the environment failed otherwise
  default ConnectResult adopt(
      SocketChannel socket, long tag, Port port, Attributes attributes, long timeoutNanos) {
    throw new UnsupportedOperationException("this provider adopts no sockets: use tcp or uring");
  }

  /// Closes what is left: all listeners, links and ports are closed already.
  @Override
  void close();
}
