package dev.tigris.cluster.run.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// The key of a coordinator, or of the worker of a host, from a file that only its owner can read.
/// The file has the certificate of the authority as well, which alone is trusted. If a file
/// `revoked.crl` lies beside it, the keys in that are not.
///
/// Thread rule: any thread.
public final class HostKey {
  /// Tells what the owner of a key does.
  public enum Role {
    /// Runs modules on a host.
    WORKER,
    /// Starts runs.
    COORDINATOR;

    /// Returns the role of the peers of this one in a run's control messages.
    public Role opposite() {
      return this == WORKER ? COORDINATOR : WORKER;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// It protects nothing: the permissions of the file do.
  static final char[] PASSWORD = "tigris-key".toCharArray();

  static final String ALIAS = "key";
  static final String REVOKED = "revoked.crl";
  private static final long MOST_BYTES = 1 << 20;
  private static final Pattern SUBJECT =
      Pattern.compile("CN=([A-Za-z0-9._:-]+),OU=(worker|coordinator),O=Tigris");
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rwx------");

  /// The owner that a certificate names.
  record Owner(String name, Role role) {
    /// Returns the owner of a certificate.
    ///
    /// @throws CertificateException if it was not made for a coordinator or a worker
    static Owner of(X509Certificate certificate) throws CertificateException {
      String subject = certificate.getSubjectX500Principal().getName();
      Matcher matcher = SUBJECT.matcher(subject);
      if (!matcher.matches()) {
        throw new CertificateException(
            "'%s' names neither a worker nor a coordinator".formatted(subject));
      }
      return new Owner(matcher.group(1), Role.valueOf(matcher.group(2).toUpperCase(Locale.ROOT)));
    }

    @Override
    public String toString() {
      return role == Role.COORDINATOR ? "coordinator " + name : "worker " + name;
    }
  }

  private final Path file;
  private final KeyStore store;
  private final X509Certificate certificate;
  private final X509Certificate authority;
  private final Owner owner;

  private HostKey(Path file, KeyStore store, Certificate[] chain) throws CertificateException {
    this.file = file;
    this.store = store;
    if (chain.length != 2
        || !(chain[0] instanceof X509Certificate own)
        || !(chain[1] instanceof X509Certificate issuer)) {
      throw new CertificateException("it has no certificate that an authority has signed");
    }
    this.certificate = own;
    this.authority = issuer;
    this.owner = Owner.of(own);
  }

  /// Reads a key.
  ///
  /// @throws IOException if it cannot be read, others than its owner can read it, it is no such
  ///     key, or it is not valid now
  public static HostKey load(Path file) throws IOException {
    HostKey key = read(file);
    try {
      key.trust(key.role()).refuseUnfit(key.certificate);
    } catch (CertificateException e) {
      throw new IOException("%s is of no use: %s".formatted(file, e.getMessage()), e);
    }
    return key;
  }

  /// Reads a key that may have expired.
  static HostKey read(Path file) throws IOException {
    requireOwn(file);
    if (Files.size(file) > MOST_BYTES) {
      throw new IOException("%s is no key of 'tigris keys': it is too large".formatted(file));
    }
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(Files.readAllBytes(file)), PASSWORD);
      Certificate[] chain = store.getCertificateChain(ALIAS);
      if (chain == null) {
        throw new IOException("it has no key");
      }
      return new HostKey(file.toAbsolutePath(), store, chain);
    } catch (IOException | GeneralSecurityException e) {
      throw new IOException("%s is no key of 'tigris keys': %s".formatted(file, e.getMessage()), e);
    }
  }

  /// Refuses a file that others than its owner can read or write.
  static void requireOwn(Path file) throws IOException {
    Path real = file.toRealPath();
    var permissions = Files.getPosixFilePermissions(real, LinkOption.NOFOLLOW_LINKS);
    if (!OWNERS.containsAll(permissions)) {
      throw new IOException(
          "%s can be read by others than its owner (%s): take that away with chmod go-rwx"
              .formatted(file, PosixFilePermissions.toString(permissions)));
    }
  }

  /// Returns its file.
  public Path file() {
    return file;
  }

  /// Returns what its owner does.
  public Role role() {
    return owner.role();
  }

  /// Returns the name of its owner: of a worker, its host.
  public String name() {
    return owner.name();
  }

  X509Certificate certificate() {
    return certificate;
  }

  X509Certificate authority() {
    return authority;
  }

  /// Returns the first digits of the fingerprint of its authority.
  public String authorityDigits() {
    return HostTrust.digits(authority);
  }

  private Path revokedFile() {
    return file.resolveSibling(REVOKED);
  }

  /// Returns the bytes of the list of revoked keys; empty if there is none.
  public byte[] revoked() throws IOException {
    try {
      return Files.readAllBytes(revokedFile());
    } catch (NoSuchFileException e) {
      return new byte[0];
    }
  }

  /// Takes a list of revoked keys that another process of this authority has, if it revokes all
  /// that the one here does, and more. Returns whether it was taken.
  ///
  /// @throws IOException if it is no list of this authority, or cannot be written
  public synchronized boolean takeRevoked(byte[] bytes) throws IOException {
    Path place = revokedFile();
    try {
      Set<BigInteger> its = HostTrust.numbers(HostTrust.list(bytes, authority, place));
      byte[] own = revoked();
      Set<BigInteger> known =
          own.length == 0 ? Set.of() : HostTrust.numbers(HostTrust.list(own, authority, place));
      if (its.equals(known) || !its.containsAll(known)) {
        return false;
      }
    } catch (CertificateException e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
    Path made = Files.createTempFile(place.getParent(), ".revoked-", ".crl");
    try {
      Path _ = Files.write(made, bytes);
      Path _ = Files.move(made, place, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      boolean _ = Files.deleteIfExists(made);
    }
    return true;
  }

  HostTrust trust(@Nullable Role peers) {
    return new HostTrust(authority, revokedFile(), peers);
  }

  /// Refuses peers other than one role of this authority, and shows this key to them.
  public SSLContext context(Role peers) {
    return context(trust(peers));
  }

  /// Refuses peers of other authorities, and shows this key to the others.
  public SSLContext contextOfAll() {
    return context(trust(null));
  }

  private SSLContext context(HostTrust trust) {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), new TrustManager[] {trust}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("TLS cannot use the key in " + file, e);
    }
  }

  @Override
  public String toString() {
    return "HostKey[%s of authority %s]".formatted(owner, authorityDigits());
  }
}
