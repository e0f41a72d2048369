package dev.tigris.cluster.run.protocol;

import org.jspecify.annotations.Nullable;

/// The fate of outputs that a run has left prepared.
public enum Recovery {
  /// They get their names.
  PUBLISH,
  /// They are deleted.
  DISCARD;

  /// Returns what becomes of the outputs of an attempt whose coordinator is known to have ended.
  ///
  /// @param decided the attempt of the decision that was found and is on the disk; null if there is
  ///     none
  /// @param prepared the attempt of the outputs
  public static Recovery of(@Nullable Epoch decided, Epoch prepared) {
    return prepared.equals(decided) ? PUBLISH : DISCARD;
  }
}
