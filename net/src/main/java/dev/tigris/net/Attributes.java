package dev.tigris.net;

import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;

/// The attributes of an interface, agreed when it is made. Each side states its own.
///
/// @param delivery what this side does with a message that finds no posted receive
/// @param checkTypes whether a message must have the [DataType] of the memory posted for it
/// @param sendDepth how many sends may be posted and not yet taken from the completion queue
/// @param receiveDepth how many receives may be
/// @param maximumMessageBytes the longest message this side takes; the sender is told, and is held
///     to the smaller one of both sides
/// @param silence how long the host of the peer may be silent before the connection breaks, where
///     the system tells (Linux over `tcp` and `uring`): it owes acknowledgements, or does not
/// answer
///     its kernel's questions while nothing is under way. A process that is stopped, or computes,
/// is
///     not silent: its kernel answers
public record Attributes(
    Delivery delivery,
    boolean checkTypes,
    int sendDepth,
    int receiveDepth,
    long maximumMessageBytes,
    Duration silence) {
  /// No message is longer than this, on any provider: 1 GiB.
  public static final long LARGEST_MESSAGE_BYTES = 1L << 30;

  /// No queue is deeper.
  public static final int MAXIMUM_DEPTH = 1 << 16;

  private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(1);
  private static final Duration LONGEST_SILENCE = Duration.ofDays(1);

  /// Reliable, without checks of the type, 64 descriptors each way, messages of up to 1 GiB, hosts
  /// that are silent for half a minute.
  public static final Attributes DEFAULT =
      new Attributes(
          Delivery.RELIABLE, false, 64, 64, LARGEST_MESSAGE_BYTES, Duration.ofSeconds(30));

  /// @throws IllegalArgumentException if a number is out of range
  public Attributes {
    Objects.requireNonNull(delivery, "delivery");
    requireWithin("sendDepth", sendDepth, MAXIMUM_DEPTH);
    requireWithin("receiveDepth", receiveDepth, MAXIMUM_DEPTH);
    requireWithin("maximumMessageBytes", maximumMessageBytes, LARGEST_MESSAGE_BYTES);
    if (silence.compareTo(SHORTEST_SILENCE) < 0 || silence.compareTo(LONGEST_SILENCE) > 0) {
      throw new IllegalArgumentException(
          "silence is %s: it must be between a second and a day".formatted(silence));
    }
  }

  private static void requireWithin(String name, long value, long maximum) {
    if (value < 1 || value > maximum) {
      throw new IllegalArgumentException(
          "%s is %d: it must be between 1 and %d".formatted(name, value, maximum));
    }
  }

  /// Returns a copy with this delivery.
  @CheckReturnValue
  public Attributes withDelivery(Delivery other) {
    return new Attributes(other, checkTypes, sendDepth, receiveDepth, maximumMessageBytes, silence);
  }

  /// Returns a copy with types checked or not.
  @CheckReturnValue
  public Attributes withCheckTypes(boolean check) {
    return new Attributes(delivery, check, sendDepth, receiveDepth, maximumMessageBytes, silence);
  }

  /// Returns a copy with other depths of the two queues.
  @CheckReturnValue
  public Attributes withDepths(int sends, int receives) {
    return new Attributes(delivery, checkTypes, sends, receives, maximumMessageBytes, silence);
  }

  /// Returns a copy with another bound on the length of a message.
  @CheckReturnValue
  public Attributes withMaximumMessageBytes(long bytes) {
    return new Attributes(delivery, checkTypes, sendDepth, receiveDepth, bytes, silence);
  }

  /// Returns a copy with another limit of silence, from a second to a day.
  @CheckReturnValue
  public Attributes withSilence(Duration limit) {
    return new Attributes(
        delivery, checkTypes, sendDepth, receiveDepth, maximumMessageBytes, limit);
  }
}
