package dev.tigris.net.libfabric;

import dev.tigris.net.provider.Hello;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/// What travels with a request to connect and with the answer to it: as much as every provider
/// takes.
///
/// ```text
///   0         32       36                40
///   +---------+--------+-----------------+
///   |  hello  | window | sequence number |   little-endian
///   +---------+--------+-----------------+
/// ```
///
/// @param hello the request or answer
/// @param window how many messages may be sent to this side before it gives credit
/// @param sequence the number of the first packet from this side
record Greeting(Hello hello, int window, int sequence) {
  static final int BYTES = Hello.BYTES + 2 * Integer.BYTES;

  /// The most messages that wait at a side which has posted no receives.
  static final int LARGEST_WINDOW = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  /// Of a side with queues of this depth.
  static Greeting of(Hello hello, int receiveDepth) {
    return new Greeting(hello, Math.min(LARGEST_WINDOW, receiveDepth), RANDOM.nextInt());
  }

  ByteBuffer toBytes() {
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(hello.toBytes())
        .putInt(window)
        .putInt(sequence)
        .flip();
  }

  /// Reads one from the beginning of a little-endian buffer; some providers add zeros.
  ///
  /// @return null if it is something else
  static @Nullable Greeting from(ByteBuffer bytes) {
    if (bytes.remaining() < BYTES) {
      return null;
    }
    Hello hello = Hello.from(bytes.slice(0, Hello.BYTES).order(ByteOrder.LITTLE_ENDIAN));
    int window = bytes.getInt(Hello.BYTES);
    if (hello == null || window < 0 || window > LARGEST_WINDOW) {
      return null;
    }
    return new Greeting(hello, window, bytes.getInt(Hello.BYTES + Integer.BYTES));
  }
}
