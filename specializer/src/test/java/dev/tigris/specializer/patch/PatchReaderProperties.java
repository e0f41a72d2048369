package dev.tigris.specializer.patch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Patches by somebody who means harm: whatever they say, the reader refuses them or makes a class
/// file of bounded size.
class PatchReaderProperties {
  private static final byte[] ORIGINAL = original();
  private static final byte[] PATCHED = patched();

  /// Where the patch begins: after its name's constant and the attribute's header.
  private static final int CONTENT = ORIGINAL.length + 3 + CodePatch.ATTRIBUTE.length() + 6;

  private static byte[] original() {
    try (InputStream in =
        PatchReaderProperties.class.getResourceAsStream("PatchReaderProperties.class")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] patched() {
    byte[] changed =
        ClassFile.of()
            .transformClass(
                ClassFile.of().parse(ORIGINAL),
                ClassTransform.transformingMethodBodies(
                    (builder, element) -> builder.with(subtract(element))));
    return CodePatch.attach(ORIGINAL, changed, PatchKind.DIFF, Optional.empty());
  }

  private static CodeElement subtract(CodeElement element) {
    boolean sum = element instanceof OperatorInstruction found && found.opcode() == Opcode.IADD;
    return sum ? OperatorInstruction.of(Opcode.ISUB) : element;
  }

  /// The class with another patch, whose checksums are right unless it has no room for them.
  private static byte[] with(byte[] patch) {
    byte[] forged = patch.clone();
    int body = forged.length - CodePatch.FIT_BYTES - 1;
    if (body > 0) {
      byte[] fit = CodePatch.fit(ORIGINAL, forged, body);
      System.arraycopy(fit, 0, forged, body, fit.length);
    }
    byte[] out = Arrays.copyOf(PATCHED, CONTENT + forged.length);
    System.arraycopy(forged, 0, out, CONTENT, forged.length);
    for (int index = 0; index < 4; index++) {
      out[CONTENT - 4 + index] = (byte) (forged.length >>> (24 - 8 * index));
    }
    return out;
  }

  /// Whether it was applied.
  private static boolean apply(byte[] classFile) {
    try {
      byte[] made = CodePatch.apply(classFile, TrustedKeys.ANY).orElseThrow();
      assertTrue(made.length <= classFile.length, "the script bounds what is made");
      return true;
    } catch (PatchRefusedException e) {
      assertTrue(e.getMessage().startsWith(PatchReaderProperties.class.getName()), e.getMessage());
      return false;
    }
  }

  @Example
  void takesThePatchItself() {
    assertTrue(apply(with(Arrays.copyOfRange(PATCHED, CONTENT, PATCHED.length))));
  }

  @Property(tries = 3_000)
  void survivesForgedPatches(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] patch = Arrays.copyOfRange(PATCHED, CONTENT, PATCHED.length);
    for (int change = 1 + random.nextInt(4); change > 0; change--) {
      int at = random.nextInt(patch.length);
      switch (random.nextInt(4)) {
        case 0 -> patch[at] = (byte) random.nextInt();
        case 1 -> patch[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> patch[at] = (byte) (random.nextBoolean() ? 0xff : 0x7f);
        default -> {
          int length = Math.min(random.nextInt(16), patch.length - at);
          System.arraycopy(patch, random.nextInt(patch.length - length + 1), patch, at, length);
        }
      }
    }
    apply(with(patch));
  }

  @Property(tries = 1_000)
  void survivesBytesOfNoPatch(@ForAll byte[] noise) {
    apply(with(noise));
    byte[] headed = noise.clone();
    if (headed.length > 2) {
      headed[0] = CodePatch.VERSION;
      headed[1] = 0;
    }
    apply(with(headed));
  }

  @Property(tries = 2_000)
  void survivesDamagedClassFiles(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] damaged = PATCHED.clone();
    for (int change = 1 + random.nextInt(3); change > 0; change--) {
      damaged[random.nextInt(CONTENT)] = (byte) random.nextInt();
    }
    try {
      CodePatch.apply(damaged, TrustedKeys.ANY);
    } catch (PatchRefusedException e) {
      assertTrue(!e.getMessage().isEmpty());
    }
  }
}
