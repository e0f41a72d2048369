package dev.tigris.net.provider;

import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import java.util.Optional;

/// A way to carry messages, before it is opened.
///
/// A provider is found by [java.util.ServiceLoader]: its module says
/// `provides dev.tigris.net.provider.Provider with ...`, or its jar names the class in
/// `META-INF/services/dev.tigris.net.provider.Provider`. The class is public and has a public
/// constructor without parameters. It has no state, and costs little to make.
///
/// *This interface may still change between minor versions.*
public interface Provider {
  /// The medium of messages: [dev.tigris.net.Fabric#best] tries the kinds in this order.
  enum Kind {
    /// Memory that processes of one host share.
    MEMORY,
    /// A network device that this process drives by itself.
    DEVICE,
    /// The sockets of the operating system.
    SOCKET
  }

  /// The name by which it is opened, unique among all providers.
  String name();

  /// The medium of its messages.
  Kind kind();

  /// Where it stands among the providers of its kind: [dev.tigris.net.Fabric#best] tries a higher
  /// rank first, and providers of one rank in the order of their names.
  default int rank() {
    return 0;
  }

  /// Why it cannot be used in this process, and what would have to change; empty if it can. Any
  /// thread; never throws.
  default Optional<String> obstacle() {
    return Optional.empty();
  }

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

  /// Opens the provider with encryption, and with peers that prove their identity.
  ///
  /// @throws NetException also if this provider has no such thing
  default Carrier open(Tls tls) {
    throw new NetException("encrypt", name(), "it has no TLS: use tcp", null);
  }
}
