package dev.tigris.net.libfabric.raw;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/// Keys to memory that peers may access. The network looks at nothing else, whoever comes with it:
/// so who has been told some of them must not be able to compute the others, as with most
/// generators of random numbers. Each is a hash of a secret and a counter. It allocates nothing.
///
/// ```text
///   0        32        40
///   +--------+---------+
///   | secret | counter |  -- SHA-256 --> its first eight bytes
///   +--------+---------+
/// ```
final class Keys {
  private static final int SECRET_BYTES = 32;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final MessageDigest digest;
  private final byte[] block = new byte[SECRET_BYTES + Long.BYTES];
  private final byte[] hash;
  private long count;

  Keys() {
    new SecureRandom().nextBytes(block);
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
      throw new IllegalStateException(impossible);
    }
    this.hash = new byte[digest.getDigestLength()];
  }

  long next() {
    LONG.set(block, SECRET_BYTES, count++);
    digest.update(block);
    try {
      digest.digest(hash, 0, hash.length);
    } catch (DigestException impossible) { // there is room for it
      throw new IllegalStateException(impossible);
    }
    return (long) LONG.get(hash, 0);
  }
}
