package dev.tigris.net;

import java.util.Arrays;
import javax.net.ssl.SSLContext;

/// Encryption and authentication for [Fabric#openTls].
///
/// Both sides use TLS 1.3, not an older version. For each connection, each side shows a certificate
/// that the other side trusts: no session is resumed. Messages move only after that, and a
/// connection never goes on without TLS.
///
/// @param context the key of this side, and the certificates that it trusts
/// @param checksHost whether the certificate of a listener must name the host that was asked for
public record Tls(SSLContext context, boolean checksHost) {
  /// The version of the protocol.
  public static final String PROTOCOL = "TLSv1.3";

  /// Checks the context.
  ///
  /// @throws IllegalArgumentException if the context does not know TLS 1.3
  public Tls {
    if (!Arrays.asList(context.getSupportedSSLParameters().getProtocols()).contains(PROTOCOL)) {
      throw new IllegalArgumentException(
          "the context of %s does not know %s".formatted(context.getProvider(), PROTOCOL));
    }
  }

  /// Returns the settings for certificates that name hosts: the certificate of a listener must name
  /// the host that was asked for.
  public static Tls of(SSLContext context) {
    return new Tls(context, true);
  }

  /// Returns a copy for certificates that name their owner, not a host: a trusted owner may listen
  /// anywhere.
  public Tls withoutHosts() {
    return new Tls(context, false);
  }
}
