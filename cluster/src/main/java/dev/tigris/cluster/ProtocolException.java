package dev.tigris.cluster;

import dev.tigris.flow.StreamException;

/// Reports that the other end of a stream does not keep to the protocol, or speaks another version.
final class ProtocolException extends StreamException {
  private static final long serialVersionUID = 1L;

  ProtocolException(String message) {
    super(message);
  }
}
