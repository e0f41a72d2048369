package dev.tigris.flow;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A kind of stream as a user might write it who has a wire: bytes go over it, and at its other end
/// they are written to waters of a spring there.
final class CopyingStream extends Stream {
  private final BufferSpring departures;
  private final BufferSpring arrivals;
  private final ArrayDeque<byte[]> wire = new ArrayDeque<>();
  private int outstanding;
  private boolean ended;

  CopyingStream(StreamKind.Place place) {
    super(place.name(), place.window());
    departures = new BufferSpring(place.name());
    arrivals = new BufferSpring(place.name());
  }

  @Override
  public Spring spring() {
    return departures;
  }

  @Override
  public synchronized int outstanding() {
    return outstanding;
  }

  @Override
  public synchronized boolean isReady() {
    return !wire.isEmpty();
  }

  @Override
  public synchronized boolean isDrained() {
    return ended && wire.isEmpty();
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    byte[] bytes = new byte[water.size()];
    data(water).copyTo(0, bytes, 0, bytes.length);
    water.returnHome();
    synchronized (this) {
      outstanding++;
      wire.addLast(bytes);
    }
  }

  @Override
  protected synchronized void sendEnd() {
    ended = true;
  }

  @Override
  protected @Nullable Water receive() {
    byte[] bytes;
    synchronized (this) {
      bytes = wire.pollFirst();
    }
    if (bytes == null) {
      return null;
    }
    Water water = arrivals.createWater(bytes.length);
    water.bytes().copyFrom(0, bytes, 0, bytes.length);
    return water;
  }

  @Override
  protected void release(Water water) {
    leave(water);
    arrivals.takeBack(water);
  }

  @Override
  protected void leave(Water water) {
    synchronized (this) {
      outstanding--;
    }
    wakeSender();
  }

  @Override
  protected void dispose(boolean complete) {
    departures.close();
    arrivals.close();
  }
}
