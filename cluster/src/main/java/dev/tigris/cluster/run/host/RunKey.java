package dev.tigris.cluster.run.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The key of one run: all its processes have it, and trust nothing else. Its text tells nothing
/// secret.
///
/// Thread rule: any thread.
public final class RunKey {
  private static final String ALIAS = "run";
  private static final String TYPE = "PKCS12";
  private static final int DAYS = 365;

  private final byte[] store;

  private RunKey(byte[] store) {
    this.store = store;
  }

  /// Makes one. It takes a second.
  ///
  /// @throws IOException if the JDK's keytool cannot make it
  public static RunKey make() throws IOException {
    Path folder = Files.createTempDirectory("tigris-key"); // for this user alone
    Path file = folder.resolve("key");
    try {
      List<String> owner = List.of("-alias", ALIAS, "-dname", "CN=tigris run");
      Keytool.generate(file, owner, "-1d", DAYS, List.of());
      return new RunKey(Files.readAllBytes(file));
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  /// Returns the key that another process has told.
  public static RunKey of(byte[] bytes) {
    return new RunKey(bytes.clone());
  }

  /// Returns it for another process of the run.
  public byte[] bytes() {
    return store.clone();
  }

  /// Shows the key to peers, and refuses those that have another one.
  ///
  /// @throws IllegalStateException if the bytes are no key
  public SSLContext context() {
    try {
      KeyStore own = KeyStore.getInstance(TYPE);
      own.load(new ByteArrayInputStream(store), HostKey.PASSWORD);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, HostKey.PASSWORD);
      KeyStore trusted = KeyStore.getInstance(TYPE);
      trusted.load(null, null);
      trusted.setCertificateEntry(ALIAS, own.getCertificate(ALIAS));
      TrustManagerFactory trusts =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusts.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trusts.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("TLS cannot use the key of the run", e);
    }
  }
}
