package dev.tigris.flow.ends;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A replica's stream from files or disks.
public final class FeedStream extends OneEnded {
  /// Makes the waters of one stream.
  public interface Feed {
    /// Returns whether there are none left.
    boolean isDrained();

    /// Returns the next water, made with the stream's spring; null if there is none left.
    @Nullable Water next(BufferSpring spring) throws IOException, InterruptedException;

    /// Hears that the replica takes nothing more, on its thread.
    default void leave() {}

    /// Closes what is read, once, when the flow has ended.
    void close() throws IOException;
  }

  private final Feed feed;

  /// Makes the stream; `feed` is closed with it.
  public FeedStream(StreamKind.Place place, Feed feed) {
    super(place);
    this.feed = feed;
  }

  @Override
  public boolean isReady() {
    return !isDrained();
  }

  @Override
  public boolean isDrained() {
    return isStopped() || feed.isDrained();
  }

  @Override
  protected @Nullable Water receive() {
    if (isDrained()) {
      return null;
    }
    try {
      Water water = feed.next(spring);
      if (water != null) {
        countReceived(water.size());
      }
      return water;
    } catch (IOException e) {
      throw failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StreamException("stream %s was interrupted".formatted(name()), e);
    }
  }

  @Override
  protected void release(Water water) {
    spring.takeBack(water);
  }

  @Override
  protected void detachReceiver() {
    feed.leave();
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    throw new IllegalStateException("put on stream %s, which only reads".formatted(name()));
  }

  @Override
  protected void sendEnd() {}

  @Override
  void closeBehind(boolean complete) throws IOException {
    feed.close();
  }
}
