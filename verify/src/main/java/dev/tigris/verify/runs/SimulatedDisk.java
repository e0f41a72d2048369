package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.Epoch;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The disk of one worker's host: the output that each attempt makes there, the notes about them,
/// and what has the output's name.
final class SimulatedDisk {
  /// An output under its temporary name, and the note about it.
  private static final class Made {
    boolean isThere = true;
    boolean isPrepared;
  }

  private final Map<Integer, Made> outputs = new TreeMap<>();
  private @Nullable Epoch named;

  /// A worker notes its output, and begins to write it.
  void make(Epoch epoch) {
    outputs.put(epoch.attempt(), new Made());
  }

  /// Data, folder and note are on the disk.
  ///
  /// @return false if the output has gone meanwhile
  boolean prepare(Epoch epoch) {
    Made made = outputs.get(epoch.attempt());
    if (made == null || !made.isThere) {
      return false;
    }
    made.isPrepared = true;
    return true;
  }

  /// The output gets its name, if it is there.
  ///
  /// @return false if it is neither there nor has its name
  boolean name(Epoch epoch) {
    Made made = outputs.remove(epoch.attempt());
    if (made == null || !made.isThere) {
      return epoch.equals(named);
    }
    named = epoch;
    return true;
  }

  void discard(Epoch epoch) {
    outputs.remove(epoch.attempt());
  }

  /// The machine crashes: what was not prepared may be gone, or in part.
  void crash() {
    outputs.values().stream()
        .filter(made -> !made.isPrepared)
        .forEach(made -> made.isThere = false);
  }

  boolean isPrepared(Epoch epoch) {
    Made made = outputs.get(epoch.attempt());
    return made != null && made.isPrepared;
  }

  /// The attempts that a note is there of.
  Iterable<Integer> noted() {
    return outputs.keySet().stream().toList();
  }

  @Nullable Epoch named() {
    return named;
  }

  @Override
  public String toString() {
    return "named %s, unnamed %s".formatted(named, outputs.keySet());
  }
}
