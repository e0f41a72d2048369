package dev.tigris.flow.ends;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;

/// A stream with one end. What is read or written is done when a call returns, so there is always
/// credit.
///
/// Thread rule: as for [Stream]; all methods are for the thread of the one module, but for those
/// that the engine calls when that has ended.
abstract sealed class OneEnded extends Stream permits FeedStream, DrainStream {
  final BufferSpring spring;
  private boolean disposed;

  OneEnded(StreamKind.Place place) {
    super(place.name(), place.window());
    spring = new BufferSpring(place.name());
  }

  final StreamException failed(Exception e) {
    return new StreamException("stream %s: %s".formatted(name(), e.getMessage()), e);
  }

  /// Closes what is behind it, once.
  abstract void closeBehind(boolean complete) throws IOException;

  @Override
  public final Spring spring() {
    return spring;
  }

  @Override
  public final int outstanding() {
    return 0;
  }

  @Override
  protected final void leave(Water water) {}

  @Override
  protected final void dispose(boolean complete) {
    if (disposed) {
      return;
    }
    disposed = true;
    spring.close();
    try {
      closeBehind(complete);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
