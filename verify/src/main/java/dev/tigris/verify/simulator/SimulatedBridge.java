package dev.tigris.verify.simulator;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import java.io.IOException;

/// A wire between two engines, one of which has a guest of the other: each opens it, and has one of
/// its ends. An engine that leaves without an end is lost to the other one.
///
/// Thread rule: one thread.
final class SimulatedBridge extends SimulatedWire implements StreamKind {
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

  private final IOException lost;
  private final Guest guest;
  private boolean mayBeMissing;
  private boolean hasLooked;
  private boolean isMissing;

  /// @param lost what the other end hears of when this one leaves without an end
  /// @param mayBeMissing whether a sender that is lost before it has sent anything has ended
  SimulatedBridge(String name, int window, IOException lost, boolean mayBeMissing, Guest guest) {
    super(new Place(name, window));
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
    cut(lost);
  }

  /// The sender never comes.
  void miss() {
    isMissing = true;
    wakeReceiver();
  }

  @Override
  protected void requireSender() {
    mayBeMissing = false;
  }

  @Override
  protected boolean isWithoutSender() {
    return isMissing;
  }

  @Override
  public boolean isReady() {
    if (!hasLooked) {
      hasLooked = true;
      guest.look();
    }
    return super.isReady();
  }

  @Override
  public boolean isDrained() {
    return isMissing || super.isDrained();
  }

  @Override
  protected boolean askEnd() {
    if (hasLooked) {
      guest.askEnd();
    }
    return hasLooked;
  }

  @Override
  protected void sendEnd() {
    super.sendEnd();
    guest.ended();
  }

  @Override
  protected void detachSender() {
    if (!hasEnded() && mayBeMissing && counters().waters() == 0) {
      miss();
    } else if (!hasEnded()) {
      refuse();
    } else {
      awaitReceiver();
    }
  }

  /// A sender is over when its receiver has finished all waters, or is lost.
  private void awaitReceiver() {
    while (outstanding() > 0 && failure() == null && !isStopped() && !isCancelled()) {
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
    super.dispose(true);
  }
}
