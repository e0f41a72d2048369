package dev.tigris.flow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A kind of streams with a window of its own.
///
/// @param kind opens the streams
/// @param window how many waters may be on their way, in place of the reservoir's number
record WindowedKind(StreamKind kind, int window) implements StreamKind {
  @Override
  public Stream open(Place place) throws IOException {
    return kind.open(new Place(place.name(), window, place.owner()));
  }

  @Override
  public Ends ends() {
    return kind.ends();
  }

  @Override
  public boolean isBetweenProcesses() {
    return kind.isBetweenProcesses();
  }

  @Override
  public List<Path> reads() {
    return kind.reads();
  }

  @Override
  public String description() {
    return kind.description() + ", window " + window;
  }
}
