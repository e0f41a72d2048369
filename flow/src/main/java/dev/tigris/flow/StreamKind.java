package dev.tigris.flow;

import java.io.IOException;

/// Opens streams of one kind, each time a flow is started. Memory and files come with Tigris;
/// others can be added by extending [Stream], and checked with
/// [dev.tigris.flow.testing.StreamContract].
@FunctionalInterface
public interface StreamKind {
  /// Opens a stream for its place in a flow. The engine closes it.
  Stream open(Place place) throws IOException;

  /// Returns a kind with a window of its own, whatever that of its place is. A feed of a kind of
  /// your own has no reservoir that would name one. Between 1 and 1,048,576. Without effect on
  /// files, of which nothing is on its way.
  default StreamKind withWindow(int waters) {
    Place.checkWindow(waters);
    return place -> open(new Place(place.name(), waters));
  }

  /// Where a stream is used.
  ///
  /// @param name the stream's name, unique in the flow, such as `map[0]->reduce[3]`
  /// @param window how many waters may be on their way before the sender has to wait
  record Place(String name, int window) {
    /// The largest window. A memory stream has a slot for each water of it, so this bounds what one
    /// takes before anything is put: eight megabytes.
    static final int MOST_WINDOW = 1 << 20;

    /// A place; the window is between 1 and 1,048,576.
    public Place {
      window = checkWindow(window);
    }

    static int checkWindow(int window) {
      if (window < 1 || window > MOST_WINDOW) {
        throw new IllegalArgumentException(
            "a window of %d: it must be between 1 and %d".formatted(window, MOST_WINDOW));
      }
      return window;
    }
  }

  /// Streams between two stages of a flow, without a copy. They feed and drain none: their other
  /// end would be in no flow, and nobody would end its waits.
  static StreamKind memory() {
    return MemoryStream::new;
  }
}
