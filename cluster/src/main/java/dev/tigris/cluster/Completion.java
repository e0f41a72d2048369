package dev.tigris.cluster;

import dev.tigris.net.Descriptor;

/// The attachment of each descriptor that a stream posts.
///
/// Thread rule: that of the stream's queue.
interface Completion {
  /// Returns the stream that has posted it.
  InterfaceStream stream();

  /// Takes a descriptor that the queue has returned.
  void completed(Descriptor descriptor);
}
