package dev.tigris.net;

import org.jspecify.annotations.Nullable;

/// Steps of closing that are all done, also where a provider fails in one of them.
final class Closing {
  private @Nullable Throwable failure;

  /// Does a step. Its failure waits for [#finish].
  @SuppressWarnings("ReferenceEquality") // an exception must not suppress itself
  void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      if (failure == null) {
        failure = e;
      } else if (failure != e) {
        failure.addSuppressed(e);
      }
    }
  }

  /// Throws the first failure, with the others as suppressed ones. The last call.
  void finish() {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }
}
