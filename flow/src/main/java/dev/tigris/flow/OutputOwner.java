package dev.tigris.flow;

import java.io.IOException;
import java.nio.file.Path;

/// Owns the outputs of a flow that is one part of something larger, such as a run over several
/// processes. An owner knows of each output before anything of that is on the disk, and decides
/// when all of them get their names ([HeldEngine]).
///
/// Any thread may call any of the methods.
public interface OutputOwner {
  /// Returns what the temporary name of each output has in it: up to 60 letters, digits, dots and
  /// hyphens that tell this run and attempt from all others.
  String mark();

  /// Hears that an output is about to be made.
  ///
  /// @param temporary the file or folder that will be made, with an absolute path
  /// @param target where it belongs, in the same folder
  /// @throws IOException if that cannot be noted; then the output is not made
  void making(Path temporary, Path target) throws IOException;
}
