package dev.tigris.specializer.patch;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A class file taken apart: the file that a patch was made for, and the patch.
final class PatchedClass {
  /// What naming the patch takes among the constants.
  private static final int NAME_BYTES = 3 + CodePatch.NAME.length;

  private final ClassRegions regions;
  private final byte[] original;
  private final byte[] patch;

  private PatchedClass(ClassRegions regions, byte[] original, byte[] patch) {
    this.regions = regions;
    this.original = original;
    this.patch = patch;
  }

  /// Takes a class file apart, if it carries a patch.
  ///
  /// @return nothing if it carries none
  /// @throws IllegalArgumentException if it is no class file
  /// @throws PatchRefusedException if the patch isn't where it was put: the bytes then do not tell
  ///     what it was made for
  static Optional<PatchedClass> of(byte[] classFile) throws PatchRefusedException {
    ClassRegions regions = ClassRegions.of(classFile);
    List<ClassRegions.Attribute> found = regions.attributes(CodePatch.NAME);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ClassRegions.Attribute attribute = found.getFirst();
    byte[] patch = Arrays.copyOfRange(classFile, attribute.contentStart(), attribute.end());
    boolean alone = found.size() == 1;
    if (!alone
        || attribute.end() != regions.end()
        || attribute.nameIndex() != regions.poolCount() - 1) {
      throw PatchReader.misplaced(new PatchedClass(regions, classFile, patch));
    }
    byte[] original = original(classFile, regions, attribute.start());
    return Optional.of(new PatchedClass(regions, original, patch));
  }

  /// The class file without its last constant and its last attribute.
  private static byte[] original(byte[] classFile, ClassRegions regions, int end) {
    int poolEnd = regions.lastConstantAt();
    byte[] original = new byte[end - NAME_BYTES];
    System.arraycopy(classFile, 0, original, 0, poolEnd);
    System.arraycopy(classFile, regions.poolEnd(), original, poolEnd, end - regions.poolEnd());
    decrement(original, ClassRegions.POOL_COUNT_AT);
    decrement(original, regions.attributesAt() - NAME_BYTES);
    return original;
  }

  private static void decrement(byte[] bytes, int at) {
    int count = ClassRegions.u2(bytes, at) - 1;
    bytes[at] = (byte) (count >>> 8);
    bytes[at + 1] = (byte) count;
  }

  String name() {
    return regions.className();
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
