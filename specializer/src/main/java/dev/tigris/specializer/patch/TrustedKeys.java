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

/// Whose patches are applied: those of anybody, or only those that one of some Ed25519 keys signed.
public final class TrustedKeys {
  /// No signature is asked for, and none is looked at.
  public static final TrustedKeys ANYBODY = new TrustedKeys(List.of());

  private final List<PublicKey> keys;

  private TrustedKeys(List<PublicKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /// The public keys in PEM files, of which there must be one at least.
  ///
  /// @throws IOException if a file has no such key; the message says how to make one
  public static TrustedKeys of(Collection<Path> files) throws IOException {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("no key to trust: name a file, or ask for ANYBODY");
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
                + " holds no Ed25519 public key; make it from the private one with:"
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
