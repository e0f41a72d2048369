package dev.tigris.specializer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;

/// A pair of key files as OpenSSL would write them.
record Keys(Path secret, Path open) {
  static Keys make(Path folder) throws GeneralSecurityException, IOException {
    Files.createDirectories(folder);
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    return new Keys(
        write(folder.resolve("key.pem"), "PRIVATE KEY", pair.getPrivate().getEncoded()),
        write(folder.resolve("key.pub"), "PUBLIC KEY", pair.getPublic().getEncoded()));
  }

  private static Path write(Path file, String label, byte[] key) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    return Files.writeString(
        file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, text));
  }
}
