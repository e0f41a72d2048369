package dev.tigris.verify.simulator;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A stream between two engines, one of which has a guest of the other: each opens it, and has one
/// of its ends. An engine that leaves without an end is lost to the other one.
///
/// Thread rule: one thread.
final class SimulatedBridge extends Stream implements StreamKind {
  /// The guest's part in what happens here.
  interface Guest {
    /// Its module looks for a water for the first time.
    default void look() {}

    /// Its flow is to end.
    default void askEnd() {}

    /// The sender has ended the stream.
    default void ended() {}

    /// The sender waits for the receiver.
    void await();
  }

  private final BufferSpring departures;
  private final BufferSpring arrivals;
  private final ArrayDeque<byte[]> wire = new ArrayDeque<>();
  private final IOException lost;
  private boolean mayBeMissing;
  private final Guest guest;
  private int outstanding;
  private boolean hasLooked;
  private boolean hasEnded;
  private boolean isMissing;

  /// @param lost what the other end hears of when this one leaves without an end
  /// @param mayBeMissing whether a sender that is lost before it has sent anything has ended
  SimulatedBridge(String name, int window, IOException lost, boolean mayBeMissing, Guest guest) {
    super(name, window);
    departures = new BufferSpring(name);
    arrivals = new BufferSpring(name);
    this.lost = lost;
    this.mayBeMissing = mayBeMissing;
    this.guest = guest;
  }

  @Override
  public Stream open(Place place) {
    return this;
  }

  /// The sender does not send here.
  void refuse() {
    wire.clear();
    fail(lost);
  }

  @Override
  protected boolean isWithoutSender() {
    return isMissing;
  }

  @Override
  protected void requireSender() {
    mayBeMissing = false;
  }

  /// The sender never comes.
  void miss() {
    isMissing = true;
    wakeReceiver();
  }

  @Override
  public Spring spring() {
    return departures;
  }

  @Override
  public int outstanding() {
    return outstanding;
  }

  @Override
  public boolean isReady() {
    if (!hasLooked) {
      hasLooked = true;
      guest.look();
    }
    return !wire.isEmpty();
  }

  @Override
  public boolean isDrained() {
    return isMissing || (hasEnded && wire.isEmpty() && failure() == null);
  }

  @Override
  protected boolean askEnd() {
    if (hasLooked) {
      guest.askEnd();
    }
    return hasLooked;
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
    hasEnded = true;
    guest.ended();
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
    if (!hasEnded && mayBeMissing && counters().waters() == 0) {
      miss();
    } else if (!hasEnded) {
      refuse();
    } else {
      awaitReceiver();
    }
  }

  /// A sender is over when its receiver has finished all waters, or is lost.
  private void awaitReceiver() {
    while (outstanding > 0 && failure() == null && !isStopped() && !isCancelled()) {
      guest.await();
    }
    if (failure() != null) {
      throw new StreamException("the receiver of %s is lost".formatted(name()), lost);
    }
  }

  @Override
  protected void detachReceiver() {
    if (!isStopped() && !isDrained()) {
      refuse();
    }
  }

  /// Each engine disposes of its end, and [#free] of the rest.
  @Override
  protected void dispose(boolean complete) {}

  /// Gives back what it has, when both engines are over.
  void free() {
    departures.close();
    arrivals.close();
  }
}
