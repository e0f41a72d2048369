package dev.tigris.specializer.patch;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/// A class file taken apart: the file that a patch was made for, and the patch.
final class PatchedClass {
  private final String name;
  private final byte[] original;
  private final byte[] patch;

  private PatchedClass(String name, byte[] original, byte[] patch) {
    this.name = name;
    this.original = original;
    this.patch = patch;
  }

  /// Takes a class file apart that carries a patch.
  ///
  /// @throws PatchRefusedException if the patch isn't where it was put: then nobody can tell what
  ///     it was made for
  static PatchedClass of(byte[] classFile, ClassRegions regions) throws PatchRefusedException {
    List<ClassRegions.Attribute> attributes = regions.attributes();
    ClassRegions.Attribute last = attributes.getLast();
    boolean alone = attributes.stream().filter(CodePatch::isPatch).count() == 1;
    if (!alone || !CodePatch.isPatch(last) || last.nameIndex() != regions.poolCount() - 1) {
      ClassRegions.Attribute found =
          attributes.stream().filter(CodePatch::isPatch).findFirst().orElseThrow();
      byte[] patch = Arrays.copyOfRange(classFile, found.contentStart(), found.end());
      throw PatchReader.misplaced(new PatchedClass(regions.className(), classFile, patch));
    }
    ByteArrayOutputStream original = new ByteArrayOutputStream(classFile.length);
    original.write(classFile, 0, ClassRegions.POOL_COUNT_AT);
    CodePatch.u2(original, regions.poolCount() - 1);
    int constants = ClassRegions.POOL_COUNT_AT + 2;
    CodePatch.write(original, classFile, constants, regions.lastConstantAt());
    CodePatch.write(original, classFile, regions.poolEnd(), regions.attributesAt());
    CodePatch.u2(original, attributes.size() - 1);
    CodePatch.write(original, classFile, regions.attributesAt() + 2, last.start());
    byte[] patch = Arrays.copyOfRange(classFile, last.contentStart(), last.end());
    return new PatchedClass(regions.className(), original.toByteArray(), patch);
  }

  String name() {
    return name;
  }

  /// Not a copy.
  byte[] original() {
    return original;
  }

  /// Not a copy.
  byte[] patch() {
    return patch;
  }
}
