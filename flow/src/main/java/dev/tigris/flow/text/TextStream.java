package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One replica's share of the rows that a [TextSource] reads.
final class TextStream extends Stream {
  private final TextSource source;
  private final BufferSpring spring;
  private boolean disposed;

  TextStream(StreamKind.Place place, TextSource source) throws IOException {
    super(place.name(), place.window());
    this.source = source;
    this.spring = new BufferSpring(place.name());
    source.opened();
  }

  @Override
  public Spring spring() {
    return spring;
  }

  @Override
  public int outstanding() {
    return 0;
  }

  @Override
  public boolean isReady() {
    return !isDrained();
  }

  @Override
  public boolean isDrained() {
    return isStopped() || source.isDrained();
  }

  @Override
  protected @Nullable Water receive() {
    if (isDrained()) {
      return null;
    }
    try {
      Water water = source.next(spring);
      if (water != null) {
        countReceived(water.size());
      }
      return water;
    } catch (IOException e) {
      throw new StreamException("stream %s: %s".formatted(name(), e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StreamException("stream %s was interrupted".formatted(name()), e);
    }
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    throw new IllegalStateException("put on stream %s, which reads text".formatted(name()));
  }

  @Override
  protected void sendEnd() {}

  @Override
  protected void release(Water water) {
    spring.takeBack(water);
  }

  @Override
  protected void leave(Water water) {}

  @Override
  protected void dispose(boolean complete) {
    if (!disposed) {
      disposed = true;
      spring.close();
      try {
        source.closed();
      } catch (IOException e) {
        throw new StreamException("stream %s: cannot close: %s".formatted(name(), e), e);
      }
    }
  }
}
