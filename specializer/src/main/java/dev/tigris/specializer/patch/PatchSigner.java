package dev.tigris.specializer.patch;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;

/// Signs code patches with an Ed25519 key.
///
/// ```sh
/// openssl genpkey -algorithm ed25519 -out key.pem      # the key: keep it
/// openssl pkey -in key.pem -pubout -out key.pub        # for TrustedKeys
/// ```
public final class PatchSigner {
  static final String ALGORITHM = "Ed25519";
  static final int SIGNATURE_BYTES = 64;

  private final PrivateKey key;

  private PatchSigner(PrivateKey key) {
    this.key = key;
  }

  /// A signer with the private key in a PEM file (PKCS #8, not encrypted).
  ///
  /// @throws IOException if there is no such key in it; the message says how to make one
  public static PatchSigner of(Path file) throws IOException {
    byte[] encoded = Pem.read(file, "PRIVATE KEY");
    try {
      KeyFactory factory = KeyFactory.getInstance(ALGORITHM);
      return new PatchSigner(factory.generatePrivate(new PKCS8EncodedKeySpec(encoded)));
    } catch (GeneralSecurityException e) {
      throw new IOException(
          file
              + " is not an Ed25519 private key: make one with openssl genpkey "
              + "-algorithm ed25519 -out "
              + file,
          e);
    }
  }

  byte[] sign(byte[] message) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(key);
      signature.update(message);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot sign with " + key.getAlgorithm(), e);
    }
  }
}
