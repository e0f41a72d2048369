package dev.tigris.specializer.patch;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/// A class file that carries, in an attribute, what specializing it would change.
///
/// Such a class is the original one but for the attribute, and loads in any JVM. The agent turns it
/// into the specialized class, to the byte the one that is delivered statically. A patch is applied
/// as a whole or not at all, and to no other bytes than those it was made for:
///
/// - two checksums cover the original class file and the patch, so that a class that a tool changed
///   since, or a damaged patch, is refused;
/// - a signature, when one is asked for, covers a digest of the same.
///
/// ```text
///   CodePatch_attribute, the last of a class, big-endian:
///
///   u2  attribute_name_index     "dev.tigris.CodePatch" and 64 times "~", the last constant
///   u4  attribute_length
///   u1  version                  2
///   u1  kind                     0 flat, 1 diff
///   u2  sections
///       { u2 name length         0: a part outside of the methods that are changed
///         u1[] name              UTF-8: the method's name and descriptor
///         u1[8] check            SHA-256 of the bytes that the script copies or skips, and of the
///                                script; only to tell where a patch does not fit
///         u4 script length
///         u1[] script            an EditScript }
///   u4  CRC-32                   of the class file without the patch, and of the patch from its
///   u4  CRC-32C                  version to its last section
///   u1  signed                   0 or 1
///   u1[64] signature             if signed: Ed25519 of "dev.tigris.CodePatch" and the SHA-256 of
///                                what the checksums are of
/// ```
///
/// The sections together cover the class file from its first byte to its last. "Without the patch"
/// means: without the attribute and without the constant that is its name.
public final class CodePatch {
  private static final byte[] TITLE = "dev.tigris.CodePatch".getBytes(StandardCharsets.UTF_8);
  private static final byte MARK = '~';

  /// How many of them the name ends in, and how far apart [#mayBeIn] looks for one.
  private static final int MARKS = 64;

  static final byte[] NAME = Arrays.copyOf(TITLE, TITLE.length + MARKS);

  static {
    Arrays.fill(NAME, TITLE.length, NAME.length, MARK);
  }

  /// The name of the attribute: `dev.tigris.CodePatch`, and 64 times `~`.
  public static final String ATTRIBUTE = new String(NAME, StandardCharsets.UTF_8);

  static final int VERSION = 2;
  static final int CHECK_BYTES = 8;
  static final int FIT_BYTES = 8;

  private static final int MAX_COUNT = 0xffff;

  private CodePatch() {}

  /// Makes the class file that carries a patch.
  ///
  /// @param original the class file as it was compiled, without a patch
  /// @param specialized what it is to become
  /// @throws IllegalArgumentException if one is no class file, or the patch does not fit into the
  ///     original, as there is no room for another constant, say
  public static byte[] attach(
      byte[] original, byte[] specialized, PatchKind kind, Optional<PatchSigner> signer) {
    ByteArrayOutputStream patch = new ByteArrayOutputStream();
    patch.write(VERSION);
    patch.write(kind.code);
    List<PatchSection> sections = PatchSection.between(original, specialized, kind);
    u2(patch, sections.size());
    for (PatchSection section : sections) {
      section.write(patch);
    }
    byte[] body = patch.toByteArray();
    patch.writeBytes(fit(original, body, body.length));
    patch.write(signer.isPresent() ? 1 : 0);
    signer.ifPresent(key -> patch.writeBytes(key.sign(signed(original, body, body.length))));
    return carrying(original, patch.toByteArray());
  }

  /// Whether the attribute's name may stand anywhere in a class file. Where it does not there is no
  /// patch, wherever a tool could have put one.
  ///
  /// An agent asks for each class that is loaded, before any of this is compiled, when each byte
  /// that is looked at counts. There are as many marks in the name as a step is long, so that one
  /// is met; other classes hardly have one where a step ends.
  public static boolean mayBeIn(byte[] classFile) {
    int length = classFile.length;
    for (int at = MARKS; at < length; at += MARKS) {
      if (classFile[at] == MARK && followsTitle(classFile, at)) {
        return true;
      }
    }
    return false;
  }

  /// Whether there is nothing but marks between the title and this one.
  private static boolean followsTitle(byte[] classFile, int mark) {
    int first = mark;
    while (first > mark - MARKS && classFile[first - 1] == MARK) {
      first--;
    }
    int start = first - TITLE.length;
    return start >= 0 && Arrays.equals(classFile, start, first, TITLE, 0, TITLE.length);
  }

  /// Whether a class file carries a patch.
  ///
  /// @throws IllegalArgumentException if it is no class file
  public static boolean isIn(byte[] classFile) {
    return mayBeIn(classFile) && !ClassRegions.of(classFile).attributes(NAME).isEmpty();
  }

  /// Takes the patch out of a class file, which gives the file that it was made for.
  ///
  /// @return the class file itself if it carries none
  /// @throws PatchRefusedException if a tool has moved things since the patch was made
  public static byte[] strip(byte[] classFile) throws PatchRefusedException {
    return isIn(classFile) ? PatchedClass.of(classFile).orElseThrow().original() : classFile;
  }

  /// Applies the patch that a class file carries.
  ///
  /// @return the specialized class file, or nothing if there is no patch
  /// @throws PatchRefusedException if the patch must not be applied
  public static Optional<byte[]> apply(byte[] classFile, TrustedKeys keys)
      throws PatchRefusedException {
    if (!mayBeIn(classFile)) {
      return Optional.empty();
    }
    try {
      Optional<PatchedClass> type = PatchedClass.of(classFile);
      return type.isEmpty()
          ? Optional.empty()
          : Optional.of(new PatchReader(type.get(), keys).apply());
    } catch (IllegalArgumentException e) {
      throw new PatchRefusedException("a class file that mentions a code patch: " + e.getMessage());
    }
  }

  private static byte[] carrying(byte[] original, byte[] patch) {
    ClassRegions regions = ClassRegions.of(original);
    ByteArrayOutputStream out = new ByteArrayOutputStream(original.length + patch.length + 64);
    out.write(original, 0, ClassRegions.POOL_COUNT_AT);
    u2(out, regions.poolCount() + 1);
    write(out, original, ClassRegions.POOL_COUNT_AT + 2, regions.poolEnd());
    out.write(ClassRegions.UTF8);
    u2(out, NAME.length);
    out.writeBytes(NAME);
    write(out, original, regions.poolEnd(), regions.attributesAt());
    u2(out, regions.attributes().size() + 1);
    write(out, original, regions.attributesAt() + 2, regions.end());
    u2(out, regions.poolCount());
    u2(out, patch.length >>> 16);
    u2(out, patch.length & 0xffff);
    out.writeBytes(patch);
    return out.toByteArray();
  }

  /// The checksums of a class file and the first bytes of a patch. Both are computed by machine
  /// code even in a JVM that has just started, where SHA-256 takes longer than all else that there
  /// is to do.
  static byte[] fit(byte[] original, byte[] patch, int length) {
    byte[] fit = new byte[FIT_BYTES];
    u4(fit, 0, checksum(new CRC32(), original, patch, length));
    u4(fit, 4, checksum(new CRC32C(), original, patch, length));
    return fit;
  }

  private static int checksum(Checksum checksum, byte[] original, byte[] patch, int length) {
    checksum.update(original, 0, original.length);
    checksum.update(patch, 0, length);
    return (int) checksum.getValue();
  }

  /// The message that a signature is of.
  static byte[] signed(byte[] original, byte[] patch, int length) {
    MessageDigest sha256 = sha256();
    sha256.update(original);
    sha256.update(patch, 0, length);
    byte[] digest = sha256.digest();
    byte[] message = Arrays.copyOf(TITLE, TITLE.length + digest.length);
    System.arraycopy(digest, 0, message, TITLE.length, digest.length);
    return message;
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static void u4(byte[] bytes, int at, int value) {
    bytes[at] = (byte) (value >>> 24);
    bytes[at + 1] = (byte) (value >>> 16);
    bytes[at + 2] = (byte) (value >>> 8);
    bytes[at + 3] = (byte) value;
  }

  /// @throws IllegalArgumentException if it is larger
  static void u2(ByteArrayOutputStream out, int value) {
    if (value > MAX_COUNT) {
      throw new IllegalArgumentException(
          "the class has no room for a patch: deliver it as a rewritten class");
    }
    out.write(value >>> 8);
    out.write(value);
  }

  static void write(ByteArrayOutputStream out, byte[] bytes, int start, int end) {
    out.write(bytes, start, end - start);
  }
}
