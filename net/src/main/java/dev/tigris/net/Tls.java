package dev.tigris.net;

import java.util.Arrays;
import javax.net.ssl.SSLContext;

/// Encryption and authentication for [Fabric#openTls]: TLS 1.3 and nothing older, and each side
/// shows a certificate that the other one trusts, for each connection: no session is resumed.
/// Nothing is said before that, and there is no way to go on without.
///
/// @param context this side's key, and whom it trusts
/// @param checksHost whether the certificate of a listener must name the host that was asked for
public record Tls(SSLContext context, boolean checksHost) {
  /// The version of the protocol.
  public static final String PROTOCOL = "TLSv1.3";

  /// @throws IllegalArgumentException if the context does not know TLS 1.3
  public Tls {
    if (!Arrays.asList(context.getSupportedSSLParameters().getProtocols()).contains(PROTOCOL)) {
      throw new IllegalArgumentException(
          "the context of %s does not know %s".formatted(context.getProvider(), PROTOCOL));
    }
  }

  /// With certificates that name hosts, which are checked.
  public static Tls of(SSLContext context) {
    return new Tls(context, true);
  }

  /// Returns a copy for certificates that name their owner, not a host: a trusted owner may listen
  /// anywhere.
  public Tls withoutHosts() {
    return new Tls(context, false);
  }
}
