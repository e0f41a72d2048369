package dev.tigris.net.provider;

import java.util.ArrayDeque;

/// The buffers of a port that no link uses just now. The one that was used last is used next; what
/// was not needed for a while is left to the collector, so that a moment in which a thousand
/// sockets were full does not cost memory for ever.
///
/// Time is an argument.
public final class SpareBuffers {
  /// For how long a buffer must not have been needed. It goes when as much time is over again.
  public static final long PERIOD_NANOS = 1_000_000_000L;

  /// How many are kept whatever happens: for a few links that seldom have something to say.
  static final int LEAST = 4;

  private final int bytes;
  private final ArrayDeque<Staging> spare = new ArrayDeque<>();

  /// How many there were at least since the last look.
  private int fewest;

  private long lookedAt;

  /// For buffers of one size; none yet.
  public SpareBuffers(int bytes, long nowNanos) {
    this.bytes = bytes;
    this.lookedAt = nowNanos;
  }

  /// An empty buffer.
  public Staging take() {
    Staging buffer = spare.poll();
    fewest = Math.min(fewest, spare.size());
    return buffer == null ? Staging.allocate(bytes) : buffer;
  }

  /// Gives one back, with whatever is in it.
  public void giveBack(Staging buffer) {
    buffer.bytes().clear();
    spare.push(buffer);
  }

  /// Lets go of those that were not needed, if it is time to.
  public void look(long nowNanos) {
    if (nowNanos - lookedAt < PERIOD_NANOS) {
      return;
    }
    lookedAt = nowNanos;
    for (int surplus = fewest - LEAST; surplus > 0; surplus--) {
      spare.removeLast();
    }
    fewest = spare.size();
  }

  /// How many there are.
  int count() {
    return spare.size();
  }
}
