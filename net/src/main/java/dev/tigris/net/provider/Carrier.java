package dev.tigris.net.provider;

import dev.tigris.net.Attributes;

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
  ConnectResult connect(String address, long tag, Port port, Attributes attributes, long timeoutNanos);

  /// Closes what is left: all doors, links and ports are closed already.
  @Override
  void close();
}
