package dev.tigris.message;

import dev.tigris.message.channel.Limits;
import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;

/// The options of a bundle.
///
/// @param credits how many requests to a peer may be under way, each with room for its reply; of
///     both sides, the smaller number holds
/// @param payloadBytes the longest payload that travels in one packet with its words; a longer one
///     is a bulk transfer
/// @param replyBytes the longest payload of a reply for which there is always room
/// @param bulkBytes the longest bulk transfer that is taken
/// @param receives how many packets can arrive from a peer before this side polls
/// @param lossy whether packets may be lost, repeated, reordered or damaged on their way, as over
///     an unreliable provider: then they have checksums, and timers send them again
/// @param patience how long a peer may be silent that something is expected of
public record Options(
    int credits,
    int payloadBytes,
    int replyBytes,
    long bulkBytes,
    int receives,
    boolean lossy,
    Duration patience) {
  /// 128 credits, 32 KiB in a packet, 1 KiB for a reply, 64 MiB in bulk, 16 receives, a reliable
  /// provider, and a patience of 30 seconds. A peer then costs about 1 MiB.
  public static final Options DEFAULT =
      new Options(128, 32 << 10, 1 << 10, 64L << 20, 16, false, Duration.ofSeconds(30));

  /// The most that the options allow.
  private static final int MOST_PAYLOAD = 1 << 20;

  private static final int MOST_CREDITS = 1 << 12;

  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if one is out of range
  public Options {
    Limits.requireWithin("credits", credits, 1, MOST_CREDITS);
    Limits.requireWithin("payloadBytes", payloadBytes, 256, MOST_PAYLOAD);
    Limits.requireWithin("replyBytes", replyBytes, 16, payloadBytes);
    Limits.requireWithin("bulkBytes", bulkBytes, 1, 1L << 40);
    Limits.requireWithin("receives", receives, 2, 1 << 14);
    if (Objects.requireNonNull(patience).compareTo(Duration.ofMillis(10)) < 0
        || patience.compareTo(Duration.ofDays(1000)) > 0) {
      throw new IllegalArgumentException(
          "the patience is %s: it must be between 10 ms and 1000 days".formatted(patience));
    }
  }

  /// Returns a copy with so many credits.
  @CheckReturnValue
  public Options withCredits(int other) {
    return new Options(other, payloadBytes, replyBytes, bulkBytes, receives, lossy, patience);
  }

  /// Returns a copy with another longest payload in a packet.
  @CheckReturnValue
  public Options withPayloadBytes(int other) {
    return new Options(credits, other, replyBytes, bulkBytes, receives, lossy, patience);
  }

  /// Returns a copy with another longest payload of a reply.
  @CheckReturnValue
  public Options withReplyBytes(int other) {
    return new Options(credits, payloadBytes, other, bulkBytes, receives, lossy, patience);
  }

  /// Returns a copy with another longest bulk transfer.
  @CheckReturnValue
  public Options withBulkBytes(long other) {
    return new Options(credits, payloadBytes, replyBytes, other, receives, lossy, patience);
  }

  /// Returns a copy with so many receives.
  @CheckReturnValue
  public Options withReceives(int other) {
    return new Options(credits, payloadBytes, replyBytes, bulkBytes, other, lossy, patience);
  }

  /// Returns a copy for a provider that loses packets, or not.
  @CheckReturnValue
  public Options withLossy(boolean other) {
    return new Options(credits, payloadBytes, replyBytes, bulkBytes, receives, other, patience);
  }

  /// Returns a copy with another patience.
  @CheckReturnValue
  public Options withPatience(Duration other) {
    return new Options(credits, payloadBytes, replyBytes, bulkBytes, receives, lossy, other);
  }
}
