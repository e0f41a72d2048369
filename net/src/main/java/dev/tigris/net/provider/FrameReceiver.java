package dev.tigris.net.provider;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The receiving half of a link over a stream of bytes: takes the frames apart that arrive, and
/// moves each message to the receive that is posted for it. [Frame] has the layout, and
/// [ReceiveStage] the stages.
///
/// A provider says where the bytes are that have arrived. It may also bring the payload of a
/// message to its place by itself, and tells by [#taken(long)] how much that was.
///
/// *This class may still change between minor versions.*
public abstract class FrameReceiver {
  /// Where messages go.
  protected final ReceiveQueue receives;

  private final long maximumBytes;
  private final Frame frame = new Frame();
  private ReceiveStage stage = ReceiveStage.HEADER;
  private int sequence;
  private long taken;

  /// Makes one at the beginning of a stream.
  ///
  /// @param maximumBytes the longest message that this side takes
  protected FrameReceiver(ReceiveQueue receives, long maximumBytes) {
    this.receives = receives;
    this.maximumBytes = maximumBytes;
  }

  // ---- what the provider does

  /// The next header, which is taken at once; null if not all of it has arrived.
  protected abstract @Nullable ByteBuffer header();

  /// A header was taken, which is no goodbye: the length and the rest of it are known.
  protected void begun() {}

  /// Moves what has arrived of a payload to its place in a message, or drops it.
  ///
  /// @param into null if it is dropped
  /// @param from how much of the payload was taken before
  /// @param most how much of it is missing, which is more than 0
  /// @return how many bytes that was; 0 if nothing is left
  protected abstract long payload(@Nullable Transfer into, long from, long most);

  // ---- what the provider calls

  /// Takes what has arrived, as far as that is possible: up to a goodbye, to a message that no
  /// receive is posted for, or to the end of what is there.
  ///
  /// @throws BreachException if the peer has sent what it must not
  protected final void takeFrames() {
    while (!frame.goodbye && takeStage()) {
      // and the next one
    }
  }

  /// Returns whether it got to the next stage.
  private boolean takeStage() {
    switch (stage) {
      case HEADER -> {
        return takeHeader();
      }
      case WAITING -> {
        ReceiveStage next = receives.arriving(frame.length, frame.tag, frame.type);
        if (next == ReceiveStage.WAITING) {
          return false;
        }
        stage = next;
      }
      case FILLING, SKIPPING -> {
        if (!takePayload()) {
          return false;
        }
        if (stage == ReceiveStage.FILLING) {
          receives.received(frame.length, frame.tag, frame.type);
        }
        stage = ReceiveStage.HEADER;
      }
    }
    return true;
  }

  /// Takes the next header, if it has arrived; returns whether it has.
  protected final boolean takeHeader() {
    ByteBuffer header = header();
    if (header == null) {
      return false;
    }
    frame.take(header, maximumBytes, sequence++);
    taken = 0;
    if (!frame.goodbye) {
      stage = ReceiveStage.WAITING;
      begun();
    }
    return true;
  }

  /// Returns whether that was all of it.
  private boolean takePayload() {
    Transfer into = stage == ReceiveStage.FILLING ? filled() : null;
    while (taken < frame.length) {
      long count = payload(into, taken, frame.length - taken);
      if (count == 0) {
        return false;
      }
      taken += count;
    }
    return true;
  }

  /// Counts bytes of the payload that the provider has brought to their place.
  protected final void taken(long bytes) {
    taken += bytes;
  }

  /// How much of the payload was taken.
  protected final long taken() {
    return taken;
  }

  /// How far it is.
  protected final ReceiveStage stage() {
    return stage;
  }

  /// The length of the message that is arriving, or that was the last to.
  protected final int length() {
    return frame.length;
  }

  /// The receive that is being filled; in the stage [ReceiveStage#FILLING].
  protected final Transfer filled() {
    return Objects.requireNonNull(receives.peek());
  }

  /// Whether a message waits for a receive.
  public final boolean isWaiting() {
    return stage == ReceiveStage.WAITING;
  }

  /// Whether the peer's last frame was taken.
  public final boolean saidGoodbye() {
    return frame.goodbye;
  }

  /// Throws if what is counted does not add up. For tests.
  public void checkInvariants() {
    if (stage == ReceiveStage.FILLING && receives.isEmpty()) {
      throw new IllegalStateException("a message goes into no receive");
    }
    if (taken > frame.length) {
      throw new IllegalStateException("more taken than was sent");
    }
  }
}
