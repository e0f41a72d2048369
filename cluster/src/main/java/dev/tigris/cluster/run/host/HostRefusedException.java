package dev.tigris.cluster.run.host;

import java.io.IOException;

/// The worker of a host was reached, and does not do what it was asked for.
public final class HostRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  HostRefusedException(String message) {
    super(message);
  }
}
