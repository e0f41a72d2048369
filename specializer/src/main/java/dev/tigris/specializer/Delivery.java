package dev.tigris.specializer;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.util.Optional;

/// A way to bring specialized classes to the JVM that runs them.
public sealed interface Delivery {
  /// Rewritten class files, which run in any JVM.
  record Rewritten() implements Delivery {}

  /// The original class files, each with a [code patch][CodePatch] that an agent applies at load
  /// time.
  ///
  /// @param signer signs each patch, if there is one
  record Patched(PatchKind kind, Optional<PatchSigner> signer) implements Delivery {}

  /// The class file to write.
  ///
  /// @param original as it was compiled
  /// @param specialized what it is to become
  /// @throws IllegalArgumentException if a patch does not fit into the class file
  default byte[] deliver(byte[] original, byte[] specialized) {
    return switch (this) {
      case Rewritten() -> specialized;
      case Patched(PatchKind kind, Optional<PatchSigner> signer) ->
          CodePatch.attach(original, specialized, kind, signer);
    };
  }
}
