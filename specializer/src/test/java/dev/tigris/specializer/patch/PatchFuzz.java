package dev.tigris.specializer.patch;

import java.util.Arrays;

/// Class files with code patches that nobody made for them.
public final class PatchFuzz {
  private PatchFuzz() {}

  /// One input: the class file. A first byte of 1 says that the checksums of its patch are to be
  /// made right.
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] classFile = Arrays.copyOfRange(input, 1, input.length);
    if (input[0] == 1) {
      sign(classFile);
    }
    try {
      CodePatch.apply(classFile, TrustedKeys.ANY)
          .ifPresent(
              made -> {
                if (made.length > classFile.length) {
                  throw new AssertionError("a patch makes more than it is given");
                }
              });
      CodePatch.strip(classFile);
    } catch (PatchRefusedException e) {
      if (e.getMessage().isEmpty()) {
        throw new AssertionError("a message says why", e);
      }
    } catch (IllegalArgumentException e) {
      // It is no class file.
    }
  }

  /// Puts the checksums where they are if the patch has its usual end.
  private static void sign(byte[] classFile) {
    try {
      PatchedClass type = PatchedClass.of(classFile).orElseThrow();
      byte[] patch = type.patch();
      int body = patch.length - CodePatch.FIT_BYTES - 1;
      if (body > 0) {
        byte[] fit = CodePatch.fit(type.original(), patch, body);
        System.arraycopy(fit, 0, classFile, classFile.length - 1 - fit.length, fit.length);
      }
    } catch (RuntimeException | PatchRefusedException e) {
      // It has no patch.
    }
  }
}
