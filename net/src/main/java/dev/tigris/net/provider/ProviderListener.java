package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// A provider's half of a listener. It belongs to one thread.
///
/// What arrives is not trusted: a peer that sends garbage, stops half way or says nothing is
/// forgotten within a bounded time, and neither delays nor fails another's request.
public interface ProviderListener extends AutoCloseable {
  /// The address to connect to: where a part of it was left open ("any port"), what it became.
  String address();

  /// Waits for the next request.
  ///
  /// @return null if none came in time, or after [#wake]
  @Nullable IncomingRequest next(long timeoutNanos);

  /// Ends a wait, or the next one. Any thread.
  void wake();

  /// Stops listening. Requests that were not returned are refused.
  @Override
  void close();

  /// A request to connect that waits for an answer. It may be answered by another thread than the
  /// listener's: the one that owns the port.
  interface IncomingRequest {
    /// The tag that the peer has sent.
    long tag();

    /// The name of the caller, for messages.
    String peer();

    /// The authenticated identity of the peer; null without authentication.
    default @Nullable Principal principal() {
      return null;
    }

    /// Accepts. If the peer is gone already, the link is broken.
    Link accept(Port port, Attributes attributes);

    /// Rejects. Any thread.
    void reject();
  }
}
