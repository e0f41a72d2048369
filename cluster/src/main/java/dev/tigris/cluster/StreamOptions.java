package dev.tigris.cluster;

import dev.tigris.net.Attributes;
import java.time.Duration;
import java.util.Objects;

/// How the streams of an exchange work. Both ends of a stream need equal `slotBytes` and
/// `checksums`.
///
/// @param slotBytes the size of the receives that a receiver keeps posted, from 4 KiB to 16 MiB. A
///     larger water is announced first, and costs a round trip. A stream takes a window of them
/// @param checksums whether each message carries a CRC-32C, which the receiver checks
/// @param patience how long an end waits for the other one to be there
/// @param silence how long the host of the other end may be silent, from a second to a day, before
///     the stream is lost: [Attributes#silence]
public record StreamOptions(int slotBytes, boolean checksums, Duration patience, Duration silence) {
  /// Receives of 64 KiB, no checksums, a minute of patience, and half of one of silence.
  public static final StreamOptions DEFAULT =
      new StreamOptions(1 << 16, false, Duration.ofMinutes(1), Attributes.DEFAULT.silence());

  /// @throws IllegalArgumentException if a number is out of range
  public StreamOptions {
    Objects.requireNonNull(patience, "patience");
    if (slotBytes < 1 << 12 || slotBytes > 1 << 24) {
      throw new IllegalArgumentException(
          "slotBytes is %d: it must be between 4096 and 16777216".formatted(slotBytes));
    }
    Attributes _ = Attributes.DEFAULT.withSilence(silence);
    if (patience.isNegative() || patience.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "patience is %s: it must be between 0 and a year".formatted(patience));
    }
  }

  /// Returns a copy with receives of this size.
  public StreamOptions withSlotBytes(int bytes) {
    return new StreamOptions(bytes, checksums, patience, silence);
  }

  /// Returns a copy with or without checksums.
  public StreamOptions withChecksums(boolean use) {
    return new StreamOptions(slotBytes, use, patience, silence);
  }

  /// Returns a copy with this patience.
  public StreamOptions withPatience(Duration longest) {
    return new StreamOptions(slotBytes, checksums, longest, silence);
  }

  /// Returns a copy with this limit of silence.
  public StreamOptions withSilence(Duration limit) {
    return new StreamOptions(slotBytes, checksums, patience, limit);
  }
}
