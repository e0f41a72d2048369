package dev.tigris.net.provider;

import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import java.util.Optional;

/// A way to carry messages, before it is opened. Stateless, and cheap to make.
public interface Provider {
  /// The name by which it is opened.
  String name();

  /// Why it cannot be used in this process, and what would have to change; empty if it can. Any
  /// thread; never throws.
  Optional<String> obstacle();

  /// Why it cannot reach `host`, although it can be used in this process; empty if it can. For the
  /// choice of the best provider, without a connection to the host. Any thread; never throws.
  Optional<String> obstacleTo(String host);

  /// Opens it. Any thread.
  ///
  /// @throws NetException if it cannot be used: with the reason that [#obstacle] gives
  Carrier open();

  /// For [#open].
  ///
  /// @throws NetException if it cannot be used
  default void requireUsable() {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new NetException("open", name(), obstacle.get(), null);
    }
  }

  /// As [#open()], encrypted, and with peers that prove who they are.
  ///
  /// @throws NetException also if this provider has no such thing
  default Carrier open(Tls tls) {
    throw new NetException("encrypt", name(), "it has no TLS: use tcp", null);
  }
}
