package dev.tigris.cluster.run.outputs;

import java.io.IOException;

/// The coordinator's process of a run lives: there is nothing to recover yet.
public final class RunStillGoingException extends IOException {
  private static final long serialVersionUID = 1L;

  RunStillGoingException(String message) {
    super(message);
  }
}
