package dev.tigris.verify.simulator;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A stream as one to another process would be: it carries bytes, and can be cut. What lies on it
/// then is lost.
class SimulatedWire extends Stream {
  private final BufferSpring departures;
  private final BufferSpring arrivals;
  private final ArrayDeque<byte[]> wire = new ArrayDeque<>();
  private int outstanding;
  private boolean ended;
  private boolean hasSenderLeft;
  private boolean hasReceiverLeft;

  SimulatedWire(StreamKind.Place place) {
    super(place.name(), place.window());
    departures = new BufferSpring(place.name());
    arrivals = new BufferSpring(place.name());
  }

  /// Returns whether both ends have been in use, and are still.
  final boolean isInUse() {
    return counters().taken() > 0 && !hasSenderLeft && !hasReceiverLeft && failure() == null;
  }

  final void cut(IOException cause) {
    wire.clear();
    fail(cause);
  }

  /// Returns whether the sender has ended it.
  final boolean hasEnded() {
    return ended;
  }

  @Override
  public final Spring spring() {
    return departures;
  }

  @Override
  public final int outstanding() {
    return outstanding;
  }

  @Override
  public boolean isReady() {
    return !wire.isEmpty();
  }

  @Override
  public boolean isDrained() {
    return ended && wire.isEmpty() && failure() == null;
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
    outstanding++;
    wire.addLast(bytes);
  }

  @Override
  protected void sendEnd() {
    ended = true;
  }

  @Override
  protected @Nullable Water receive() {
    byte[] bytes = wire.pollFirst();
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
    if (failure() == null) {
      outstanding--;
      wakeSender();
    }
  }

  @Override
  protected void detachSender() {
    hasSenderLeft = true;
  }

  @Override
  protected void detachReceiver() {
    hasReceiverLeft = true;
  }

  @Override
  protected void dispose(boolean complete) {
    departures.close();
    arrivals.close();
  }
}
