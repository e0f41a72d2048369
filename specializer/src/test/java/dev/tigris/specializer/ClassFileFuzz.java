package dev.tigris.specializer;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.Optional;

/// Class files that no compiler wrote, given to the specializer.
public final class ClassFileFuzz {
  private static final ClassDesc TRADE = ClassDesc.of("app", "Trade");

  /// What the inputs refer to: `Pso`, and a class of objects.
  private static final byte[] PSO = classOf(MemoryNames.PSO, ConstantDescs.CD_Object);

  private static final byte[] OBJECT = classOf(TRADE, MemoryNames.PSO);

  private ClassFileFuzz() {}

  private static byte[] classOf(ClassDesc name, ClassDesc superclass) {
    return ClassFile.of()
        .build(
            name,
            type ->
                type.withSuperclass(superclass)
                    .withFlags(ClassFile.ACC_PUBLIC)
                    .withField("id", ConstantDescs.CD_long, ClassFile.ACC_PUBLIC)
                    .withField("next", TRADE, ClassFile.ACC_PUBLIC)
                    .withMethodBody(
                        ConstantDescs.INIT_NAME,
                        MethodTypeDesc.of(ConstantDescs.CD_void, MemoryNames.BINDING),
                        ClassFile.ACC_PROTECTED | ClassFile.ACC_SYNTHETIC,
                        code -> code.return_()));
  }

  private static byte[] find(ClassDesc type) {
    if (type.equals(MemoryNames.PSO)) {
      return PSO;
    }
    if (type.equals(TRADE)) {
      return OBJECT;
    }
    try (InputStream in =
        ClassLoader.getPlatformClassLoader().getResourceAsStream(ClassSource.pathOf(type))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One input: the class file.
  public static void fuzzerTestOneInput(byte[] input) {
    Specializer specializer =
        new Specializer(new ClassHierarchy(ClassFileFuzz::find), Rule.standard());
    Specialized result;
    try {
      result = specializer.specialize(input);
      specializer.check(input);
    } catch (IllegalArgumentException e) {
      return; // it is no class file
    }
    if (result.changed()) {
      byte[] specialized = result.bytes();
      try {
        byte[] patched = CodePatch.attach(input, specialized, PatchKind.DIFF, Optional.empty());
        byte[] applied = CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow();
        if (!Arrays.equals(specialized, applied)) {
          throw new AssertionError("the patch makes another class");
        }
      } catch (IllegalArgumentException e) {
        // There is no room for a patch.
      } catch (PatchRefusedException e) {
        throw new AssertionError("a patch that was made just now", e);
      }
    }
  }
}
