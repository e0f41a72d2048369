package dev.tigris.cluster.run.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/// Tells how far a worker has come in its attempt.
public sealed interface Word {
  /// Returns the word as it is repeated when the coordinator has it: without what may be long.
  default Word heard() {
    return switch (this) {
      case Described _ -> new Described(Map.of());
      case Ended _ -> new Ended(ByteBuffer.allocate(0));
      default -> this;
    };
  }

  /// Returns whether this repeats a word that the coordinator has.
  default boolean repeats(Word had) {
    return switch (this) {
      case Described(Map<String, String> fingerprint) ->
          fingerprint.isEmpty() && had instanceof Described;
      case Ended(ByteBuffer results) -> !results.hasRemaining() && had instanceof Ended;
      default -> false;
    };
  }

  /// The worker has started.
  ///
  /// @param address where others reach its streams
  record Joined(String address) implements Word {}

  /// The worker has described the flow.
  ///
  /// @param fingerprint what must be equal in all processes, by name
  record Described(Map<String, String> fingerprint) implements Word {
    /// A word with its own map.
    public Described {
      fingerprint = Map.copyOf(fingerprint);
    }
  }

  /// The worker has made its streams.
  record Wired() implements Word {}

  /// The worker's modules have been through `init`.
  record Initialized() implements Word {}

  /// The worker's modules run.
  record Running() implements Word {}

  /// The worker's modules have ended well.
  ///
  /// @param results what they have counted; read only
  record Ended(ByteBuffer results) implements Word {
    /// A word with its own position.
    public Ended {
      results = results.asReadOnlyBuffer();
    }
  }

  /// The worker votes yes: its outputs and their note are on the disk under temporary names.
  record Prepared() implements Word {}

  /// The worker's outputs have their names.
  ///
  /// @param unnamed says of each that has not, where it lies and why
  /// @param unclosed says which streams have failed as they were closed
  record Published(List<String> unnamed, List<String> unclosed) implements Word {
    /// A word with its own lists.
    public Published {
      unnamed = List.copyOf(unnamed);
      unclosed = List.copyOf(unclosed);
    }
  }

  /// The worker has failed and is ending its modules.
  ///
  /// @param failure why
  record Failing(Failure failure) implements Word {}

  /// The worker has ended its modules, and nothing of its outputs is left.
  record Aborted() implements Word {}

  /// The worker has failed, its modules have ended, and nothing of its outputs is left.
  ///
  /// @param failure why
  record Failed(Failure failure) implements Word {}
}
