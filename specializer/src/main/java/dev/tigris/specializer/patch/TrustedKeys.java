package dev.tigris.specializer.patch;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The keys whose patches are applied: either all patches are, or only those that a given Ed25519
/// key signed.
public final class TrustedKeys {
  /// Accepts every patch, signed or not.
  public static final TrustedKeys ANY = new TrustedKeys(List.of());

  private final List<PublicKey> keys;

  private TrustedKeys(List<PublicKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /// Reads the public keys in PEM files, at least one.
  ///
  /// @throws IOException if a file has no such key; the message says how to make one
  public static TrustedKeys of(Collection<Path> files) throws IOException {
    if (files.isEmpty()) {
      throw new IllegalArgumentException(
          "the list of trusted keys is empty: name a file, or use TrustedKeys.ANY");
    }
    List<PublicKey> keys = new ArrayList<>();
    for (Path file : files) {
      byte[] encoded = Pem.read(file, "PUBLIC KEY");
      try {
        KeyFactory factory = KeyFactory.getInstance(PatchSigner.ALGORITHM);
        keys.add(factory.generatePublic(new X509EncodedKeySpec(encoded)));
      } catch (GeneralSecurityException e) {
        throw new IOException(
            file
                + " is not an Ed25519 public key: make it from the private key with"
                + " openssl pkey -in key.pem -pubout -out "
                + file,
            e);
      }
    }
    return new TrustedKeys(keys);
  }

  /// Whether a signature is asked for.
  boolean areRequired() {
    return !keys.isEmpty();
  }

  /// Whether one of the keys signed the message.
  boolean signed(byte[] message, byte[] signature) {
    for (PublicKey key : keys) {
      try {
        Signature check = Signature.getInstance(PatchSigner.ALGORITHM);
        check.initVerify(key);
        check.update(message);
        if (check.verify(signature)) {
          return true;
        }
      } catch (GeneralSecurityException e) {
        return false; // no signature at all
      }
    }
    return false;
  }
}
