package dev.tigris.flow;

import java.io.IOException;

/// Opens streams of one kind, each time a flow is started. Memory and files come with Tigris;
/// others can be added by extending [Stream], and checked with
/// [dev.tigris.flow.testing.StreamContract].
@FunctionalInterface
public interface StreamKind {
  /// Opens a stream for its place in a flow. The engine closes it.
  Stream open(Place place) throws IOException;

  /// Where a stream is used.
  ///
  /// @param name the stream's name, unique in the flow, such as `map[0]->reduce[3]`
  /// @param window how many waters may be on their way before the sender has to wait
  record Place(String name, int window) {
    /// A place; the window is at least 1.
    public Place {
      if (window < 1) {
        throw new IllegalArgumentException("a window of " + window + ": it must be at least 1");
      }
    }
  }

  /// Streams between two threads of this JVM, without a copy.
  static StreamKind memory() {
    return MemoryStream::new;
  }
}
