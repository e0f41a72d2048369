package dev.tigris.flow;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A kind of stream as a user might write it: a queue under a lock, which carries only the waters
/// of its own spring and copies all others.
class LockedStream extends Stream {
  private final BufferSpring spring;
  private final ArrayDeque<Water> queue = new ArrayDeque<>();
  private int outstanding;
  private boolean ended;

  LockedStream(StreamKind.Place place) {
    super(place.name(), place.window());
    spring = new BufferSpring(place.name());
  }

  @Override
  public Spring spring() {
    return spring;
  }

  @Override
  public synchronized int outstanding() {
    return outstanding;
  }

  @Override
  public synchronized boolean isReady() {
    return !queue.isEmpty();
  }

  @Override
  public synchronized boolean isDrained() {
    return ended && queue.isEmpty();
  }

  @Override
  protected boolean canCarry(Water water) {
    return spring.owns(water);
  }

  @Override
  protected synchronized void send(Water water) {
    outstanding++;
    queue.addLast(water);
  }

  @Override
  protected synchronized void sendEnd() {
    ended = true;
  }

  @Override
  protected synchronized @Nullable Water receive() {
    return queue.pollFirst();
  }

  @Override
  protected void release(Water water) {
    leave(water);
    spring.takeBack(water);
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
    spring.close();
  }
}
