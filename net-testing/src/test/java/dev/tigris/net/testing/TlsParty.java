package dev.tigris.net.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/// A key, with a certificate that is signed by itself.
public record TlsParty(String name, KeyStore store) {
  private static final char[] PASSWORD = "a password".toCharArray();

  /// Begins to make one, in a file of its name.
  ///
  /// @param extension of the certificate, such as the host that it names
  public static Process make(Path folder, String name, String extension) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
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
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /// The one in a file.
  public static TlsParty load(Path file) throws Exception {
    return new TlsParty(
        file.getFileName().toString(), KeyStore.getInstance(file.toFile(), PASSWORD));
  }

  /// What shows its certificate.
  public KeyManager[] keys() throws Exception {
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    return keys.getKeyManagers();
  }

  /// What trusts some, and nobody else.
  public static TrustManager[] trusting(TlsParty... trusted) throws Exception {
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, null);
    for (TlsParty other : trusted) {
      known.setCertificateEntry(other.name, other.store.getCertificate(other.name));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    return trust.getTrustManagers();
  }
}
