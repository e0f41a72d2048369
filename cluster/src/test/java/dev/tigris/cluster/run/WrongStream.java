package dev.tigris.cluster.run;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import org.jspecify.annotations.Nullable;

/// A stream that swallows what is put on it, and throws an error as it is prepared or, after that,
/// as it is closed.
final class WrongStream extends Stream {
  private final BufferSpring spring = new BufferSpring("wrong");
  private final boolean isEarly;
  private final String message;

  /// @param isEarly whether it throws as it is prepared
  /// @param message of the error
  WrongStream(StreamKind.Place place, boolean isEarly, String message) {
    super(place.name(), place.window());
    this.isEarly = isEarly;
    this.message = message;
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
    return false;
  }

  @Override
  public boolean isDrained() {
    return true;
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    countFinished();
    water.returnHome();
  }

  @Override
  protected void sendEnd() {}

  @Override
  protected @Nullable Water receive() {
    return null;
  }

  @Override
  protected void release(Water water) {}

  @Override
  protected void leave(Water water) {}

  @Override
  protected void prepare() {
    if (isEarly) {
      throw new AssertionError(message);
    }
  }

  @Override
  protected void dispose(boolean complete) {
    spring.close();
    if (complete) {
      throw new AssertionError(message);
    }
  }
}
