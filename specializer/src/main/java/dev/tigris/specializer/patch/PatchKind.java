package dev.tigris.specializer.patch;

/// The form in which a patch gives the methods that it changes (Welsh, *Safe and Efficient Hardware
/// Specialization of Java Applications*, 2000, section 3.2).
public enum PatchKind {
  /// As a whole: larger, trivial to apply.
  FLAT(0),
  /// As what differs from the original, found by a longest common subsequence.
  DIFF(1);

  /// What stands in the patch.
  final int code;

  PatchKind(int code) {
    this.code = code;
  }

  static boolean isKnown(int code) {
    return code == FLAT.code || code == DIFF.code;
  }
}
