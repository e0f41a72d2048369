package dev.tigris.cluster.run.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/// Trusts the keys of one authority, and one role or any, that are valid now and not revoked, and
/// names what is wrong with others. The list of revoked keys is read again for each peer. The
/// JDK's own trust manager has the last word, and compares names of hosts.
///
/// Thread rule: any thread.
final class HostTrust extends X509ExtendedTrustManager {
  private static final int DIGITS = 12;
  private static final int MOST_SHOWN = 200;
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");
  private static final X509Certificate[] NONE = {};

  private final X509Certificate authority;
  private final Path revoked;
  private final HostKey.@Nullable Role peers;
  private final X509ExtendedTrustManager last;

  /// @param peers the role of those that are trusted; null for any
  HostTrust(X509Certificate authority, Path revoked, HostKey.@Nullable Role peers) {
    this.authority = authority;
    this.revoked = revoked;
    this.peers = peers;
    this.last = trusting(authority);
  }

  private static X509ExtendedTrustManager trusting(X509Certificate authority) {
    try {
      KeyStore known = KeyStore.getInstance("PKCS12");
      known.load(null, null);
      known.setCertificateEntry("authority", authority);
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(known);
      for (TrustManager each : factory.getTrustManagers()) {
        if (each instanceof X509ExtendedTrustManager found) {
          return found;
        }
      }
      throw new IllegalStateException("this JDK has no trust manager for sockets");
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("this JDK cannot trust an authority", e);
    }
  }

  /// Returns the first digits of a certificate's fingerprint, as keytool prints it.
  static String digits(X509Certificate certificate) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return HexFormat.of().formatHex(hash).substring(0, DIGITS);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate has no fingerprint", e);
    }
  }

  /// Returns a name that a stranger may have chosen, for a message.
  private static String shown(X500Principal principal) {
    String name = CONTROLS.matcher(principal.getName()).replaceAll("?");
    return name.length() <= MOST_SHOWN ? name : name.substring(0, MOST_SHOWN) + "...";
  }

  /// Refuses what is not to be trusted, whatever the peer has shown.
  void refuse(X509Certificate[] chain) throws CertificateException {
    if (chain.length == 0) {
      throw new CertificateException("it shows no certificate");
    }
    refuseUnfit(chain[0]);
    HostKey.Owner owner = HostKey.Owner.of(chain[0]);
    if (peers != null && owner.role() != peers) {
      throw new CertificateException(
          "it shows the key of %s, where the key of a %s is needed".formatted(owner, peers.word()));
    }
  }

  /// Refuses a key of another authority, and one that is not valid now or is revoked.
  void refuseUnfit(X509Certificate certificate) throws CertificateException {
    String subject = shown(certificate.getSubjectX500Principal());
    try {
      certificate.verify(authority.getPublicKey());
    } catch (GeneralSecurityException e) {
      throw new CertificateException(
          "the key of '%s' is of another authority (%s) than this one (%s)"
              .formatted(subject, shown(certificate.getIssuerX500Principal()), digits(authority)),
          e);
    }
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException e) {
      throw refused(
          "the key of '%s' has expired on %s: make another with 'tigris keys'"
              .formatted(subject, certificate.getNotAfter().toInstant()),
          BasicReason.EXPIRED);
    } catch (CertificateNotYetValidException e) {
      throw refused(
          "the key of '%s' is valid from %s on: is a clock wrong?"
              .formatted(subject, certificate.getNotBefore().toInstant()),
          BasicReason.NOT_YET_VALID);
    }
    X509CRL list = list();
    if (list != null && list.isRevoked(certificate)) {
      throw refused(
          "the key of '%s' with the number %s is revoked"
              .formatted(subject, certificate.getSerialNumber()),
          BasicReason.REVOKED);
    }
  }

  /// Lets TLS tell the peer the reason by the right alert.
  private static CertificateException refused(String message, BasicReason reason) {
    return new CertificateException(
        message, new CertPathValidatorException(message, null, null, -1, reason));
  }

  /// Returns the list of revoked keys; null if there is none. A damaged one trusts no key.
  private @Nullable X509CRL list() throws CertificateException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(revoked);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new CertificateException("%s cannot be read: %s".formatted(revoked, e), e);
    }
    return list(bytes, authority, revoked);
  }

  /// Reads a list of revoked keys that an authority has signed.
  ///
  /// @param file where it lies or will lie, for the message
  static X509CRL list(byte[] bytes, X509Certificate authority, Path file)
      throws CertificateException {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      if (factory.generateCRL(new ByteArrayInputStream(bytes)) instanceof X509CRL list) {
        list.verify(authority.getPublicKey());
        return list;
      }
      throw new CertificateException(file + " is empty");
    } catch (GeneralSecurityException e) {
      throw new CertificateException(
          "%s is no list of this authority (%s): copy it again: %s"
              .formatted(file, digits(authority), e.getMessage()),
          e);
    }
  }

  /// Returns the numbers of the keys in a list.
  static Set<BigInteger> numbers(X509CRL list) {
    @Nullable Set<? extends X509CRLEntry> entries = list.getRevokedCertificates();
    return entries == null
        ? Set.of()
        : entries.stream().map(X509CRLEntry::getSerialNumber).collect(Collectors.toSet());
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    refuse(chain);
    last.checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    refuse(chain);
    last.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    refuse(chain);
    last.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    refuse(chain);
    last.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    refuse(chain);
    last.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    refuse(chain);
    last.checkServerTrusted(chain, type);
  }

  /// A peer is asked for any key, so that what is wrong with the one it has can be named.
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return NONE;
  }
}
