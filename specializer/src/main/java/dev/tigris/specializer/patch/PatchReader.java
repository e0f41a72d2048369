package dev.tigris.specializer.patch;

import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads a patch, whose bytes are not trusted, and applies it.
///
/// Everything is checked before the first byte is written: that the patch is whole, that it was
/// made for this class, and who signed it. What it makes is bounded by what it was given, see
/// [EditScript].
final class PatchReader {
  /// What to do about a patch that is refused.
  static final String AGAIN =
      "Let `tigris specialize` be the last tool that touches the class, and run it again.";

  private static final int MAX_NAME = 200;

  /// A section as it stands in the patch: its check follows its name, which is empty where it is
  /// about no method.
  private record Section(int nameStart, int checkAt, int scriptStart, int scriptEnd) {
    boolean isAboutMethod() {
      return checkAt > nameStart;
    }
  }

  private final PatchedClass type;
  private final TrustedKeys keys;
  private final byte[] original;
  private final byte[] patch;
  private final List<Section> sections = new ArrayList<>();

  /// Where the name stands of the section that is being read, for messages: no string is made of it
  /// unless there is something to say.
  private int nameStart;

  private int nameEnd;

  private int at;
  private int end;

  PatchReader(PatchedClass type, TrustedKeys keys) {
    this.type = type;
    this.keys = keys;
    this.original = type.original();
    this.patch = type.patch();
    this.end = patch.length;
  }

  /// What to say of a patch that stands elsewhere than where it was put.
  static PatchRefusedException misplaced(PatchedClass type) {
    PatchReader reader = new PatchReader(type, TrustedKeys.ANY);
    try {
      reader.readHeader();
      reader.readSections();
    } catch (PatchRefusedException damaged) {
      return damaged;
    }
    reader.enterFirstMethod();
    return reader.refused("a tool has changed the class since its code patch was made. " + AGAIN);
  }

  /// Makes the specialized class file.
  byte[] apply() throws PatchRefusedException {
    readHeader();
    readSections();
    int bodyEnd = at;
    byte[] fit = bytes(CodePatch.FIT_BYTES);
    Optional<byte[]> signature = signature();
    if (!Arrays.equals(fit, CodePatch.fit(original, patch, bodyEnd))) {
      throw misfit();
    }
    checkSignature(bodyEnd, signature);
    return run();
  }

  private void readHeader() throws PatchRefusedException {
    int version = u1();
    if (version != CodePatch.VERSION) {
      throw refused(
          "the code patch has format %d, and this agent reads format %d. Use the agent of the"
                  .formatted(version, CodePatch.VERSION)
              + " same release as the specializer.");
    }
    if (!PatchKind.isKnown(u1())) {
      throw damaged();
    }
  }

  private void readSections() throws PatchRefusedException {
    for (int left = u2(); left > 0; left--) {
      int nameBytes = u2();
      skip(nameBytes);
      enter(at - nameBytes, at);
      skip(CodePatch.CHECK_BYTES);
      int length = u2() << 16 | u2();
      skip(length);
      sections.add(new Section(nameStart, nameEnd, at - length, at));
    }
    leave();
  }

  private Optional<byte[]> signature() throws PatchRefusedException {
    int signed = u1();
    Optional<byte[]> signature =
        signed == 1 ? Optional.of(bytes(PatchSigner.SIGNATURE_BYTES)) : Optional.empty();
    if (signed > 1 || at != patch.length) {
      throw damaged();
    }
    return signature;
  }

  private void checkSignature(int bodyEnd, Optional<byte[]> signature)
      throws PatchRefusedException {
    if (!keys.areRequired()) {
      return;
    }
    enterFirstMethod();
    if (signature.isEmpty()) {
      throw refused(
          "the code patch is not signed, and signatures are required. Sign it with `tigris"
              + " specialize --sign KEY`.");
    }
    if (!keys.signed(CodePatch.signed(original, patch, bodyEnd), signature.get())) {
      throw refused(
          "the code patch is signed by none of the trusted keys. Trust the signer's public key, or"
              + " sign the class with a trusted one by `tigris specialize --sign KEY`.");
    }
    leave();
  }

  private byte[] run() throws PatchRefusedException {
    // No step copies again what was copied before, so there is room for all that they make.
    byte[] made = new byte[original.length + patch.length];
    int length = 0;
    int from = 0;
    for (Section section : sections) {
      enter(section.nameStart, section.checkAt);
      at = section.scriptStart;
      end = section.scriptEnd;
      while (at < end) {
        int copied = varint();
        int skipped = varint();
        int inserted = varint();
        if ((long) copied + skipped > original.length - from) {
          throw damaged();
        }
        System.arraycopy(original, from, made, length, copied);
        from += copied + skipped;
        length += copied;
        skip(inserted);
        System.arraycopy(patch, at - inserted, made, length, inserted);
        length += inserted;
      }
    }
    if (from != original.length) {
      throw damaged();
    }
    return Arrays.copyOf(made, length);
  }

  /// Says why the checksums are not those of this class and this patch.
  private PatchRefusedException misfit() {
    Map<String, ClassRegions.Method> methods = new HashMap<>();
    ClassRegions.of(original).methods().forEach(method -> methods.put(method.key(), method));
    for (Section section : sections) {
      if (section.isAboutMethod() && !fits(section, methods)) {
        enter(section.nameStart, section.checkAt);
        return refused(
            "the code patch does not fit: the method or its patch was changed after the patch was"
                + " made. "
                + AGAIN);
      }
    }
    enterFirstMethod();
    return refused(
        "the code patch does not fit: something else in the class or in the patch was changed after"
            + " the patch was made. "
            + AGAIN);
  }

  /// Whether a section is of the method that it names. Takes that out of `methods`: however many
  /// sections a patch has, no byte of the class is looked at twice.
  private boolean fits(Section section, Map<String, ClassRegions.Method> methods) {
    ClassRegions.Method method = methods.remove(name(section.nameStart, section.checkAt));
    if (method == null) {
      return false;
    }
    byte[] check =
        PatchSection.check(
            original, method.start(), method.end(), patch, section.scriptStart, section.scriptEnd);
    int checkEnd = section.checkAt + CodePatch.CHECK_BYTES;
    return Arrays.equals(check, 0, check.length, patch, section.checkAt, checkEnd);
  }

  private void enter(int start, int end) {
    nameStart = start;
    nameEnd = end;
  }

  private void leave() {
    enter(0, 0);
  }

  private void enterFirstMethod() {
    for (Section section : sections) {
      if (section.isAboutMethod()) {
        enter(section.nameStart, section.checkAt);
        return;
      }
    }
    leave();
  }

  private String name(int start, int end) {
    return new String(patch, start, end - start, StandardCharsets.UTF_8);
  }

  private PatchRefusedException damaged() {
    if (nameEnd == nameStart) {
      enterFirstMethod();
    }
    return refused("the code patch is damaged or cut off. " + AGAIN);
  }

  private PatchRefusedException refused(String what) {
    String method = nameEnd == nameStart ? "" : "." + readable(name(nameStart, nameEnd));
    return new PatchRefusedException(type.name() + method + ": " + what);
  }

  /// A method as source would name it; whatever a damaged patch says, without control characters.
  private static String readable(String method) {
    String text = method;
    int types = method.indexOf('(');
    try {
      if (types > 0) {
        String descriptor = method.substring(types);
        text =
            method.substring(0, types)
                + MethodTypeDesc.ofDescriptor(descriptor).displayDescriptor();
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException noDescriptor) {
      text = method;
    }
    String clean = text.replaceAll("\\p{Cc}", "?");
    return clean.length() > MAX_NAME ? clean.substring(0, MAX_NAME) + "..." : clean;
  }

  private int u1() throws PatchRefusedException {
    if (at >= end) {
      throw damaged();
    }
    return patch[at++] & 0xff;
  }

  private int u2() throws PatchRefusedException {
    skip(2);
    return ClassRegions.u2(patch, at - 2);
  }

  private int varint() throws PatchRefusedException {
    // Most take one byte, and in a JVM that has just started each call counts.
    return at < end && patch[at] >= 0 ? patch[at++] : longVarint();
  }

  private int longVarint() throws PatchRefusedException {
    int value = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      int next = u1();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    // No class file is as long as 2^28 bytes.
    throw damaged();
  }

  private byte[] bytes(int count) throws PatchRefusedException {
    int start = at;
    skip(count);
    return Arrays.copyOfRange(patch, start, at);
  }

  private void skip(int count) throws PatchRefusedException {
    if (count < 0 || count > end - at) {
      throw damaged();
    }
    at += count;
  }
}
