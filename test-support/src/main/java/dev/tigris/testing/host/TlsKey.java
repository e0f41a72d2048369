package dev.tigris.testing.host;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/// A key for TLS, with a certificate that it has signed itself.
///
/// @param name of its owner, and of its entry
/// @param store the store with this one entry
public record TlsKey(String name, KeyStore store) {
  private static final char[] PASSWORD = "a password".toCharArray();

  /// Begins to make one, in a file of its name: it is there when the process has ended.
  ///
  /// @param extension of the certificate, such as `san=ip:127.0.0.1`, the host that it names
  public static Child begin(Path folder, String name, String extension) {
    return Command.of(
            Jvm.tool("keytool"),
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-J-Dkeystore.pkcs12.certPbeIterationCount=1", // its password is no secret
            "-J-Dkeystore.pkcs12.keyPbeIterationCount=1",
            "-J-Dkeystore.pkcs12.macIterationCount=1",
            "-genkeypair",
            "-alias",
            name,
            "-dname",
            "CN=" + name,
            "-keyalg",
            "EC",
            "-ext",
            extension,
            "-keystore",
            folder.resolve(name).toString(),
            "-storepass",
            new String(PASSWORD))
        .start();
  }

  /// Makes one.
  public static TlsKey make(Path folder, String name, String extension)
      throws IOException, GeneralSecurityException {
    String _ = begin(folder, name, extension).outcome().orThrow();
    return load(folder.resolve(name));
  }

  /// Reads the one in a file.
  public static TlsKey load(Path file) throws IOException, GeneralSecurityException {
    return new TlsKey(
        String.valueOf(file.getFileName()), KeyStore.getInstance(file.toFile(), PASSWORD));
  }

  /// Returns what shows its certificate.
  public KeyManager[] keys() throws GeneralSecurityException {
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    return keys.getKeyManagers();
  }

  /// Returns a trust manager for these keys only.
  public static TrustManager[] trusting(TlsKey... trusted)
      throws IOException, GeneralSecurityException {
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, null);
    for (TlsKey other : trusted) {
      known.setCertificateEntry(other.name, other.store.getCertificate(other.name));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    return trust.getTrustManagers();
  }
}
