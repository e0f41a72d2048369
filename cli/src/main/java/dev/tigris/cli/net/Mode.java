package dev.tigris.cli.net;

import dev.tigris.net.Attributes;
import org.jspecify.annotations.Nullable;

/// The kinds of measurement. The client tells the server by the tag of its connection: the mode is
/// in the upper byte, the size of its messages below.
public enum Mode {
  /// Each message is sent back.
  PING_PONG(1),
  /// Messages go one way; the last one is answered.
  BANDWIDTH(2);

  private static final int MODE_SHIFT = 56;

  private final long code;

  Mode(long code) {
    this.code = code;
  }

  long tag(int bytes) {
    return code << MODE_SHIFT | bytes;
  }

  static @Nullable Mode of(long tag) {
    long bytes = tag & ((1L << MODE_SHIFT) - 1);
    for (Mode mode : values()) {
      if (mode.code == tag >>> MODE_SHIFT && bytes <= Attributes.LARGEST_MESSAGE_BYTES) {
        return mode;
      }
    }
    return null;
  }

  static int bytes(long tag) {
    return (int) tag;
  }
}
