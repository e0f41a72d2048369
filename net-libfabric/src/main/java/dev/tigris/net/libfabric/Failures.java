package dev.tigris.net.libfabric;

import dev.tigris.net.NetException;
import dev.tigris.net.libfabric.raw.Fid;

/// How failures of the library are said.
final class Failures {
  private Failures() {}

  static NetException of(String operation, String peer, Exception cause) {
    return new NetException(operation, peer, String.valueOf(cause.getMessage()), cause);
  }

  static NetException of(String operation, String peer, Fid object, int error) {
    return new NetException(operation, peer, object.describe(error), null);
  }
}
