package dev.tigris.net.libfabric;

import dev.tigris.net.provider.Hello;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What two sides whose endpoints are not connected say to each other over a socket: a request, and
/// the answer to it. Behind the end of the provider and of the name there are zeros.
///
/// ```text
///   0          40       48         64       68      256
///   +----------+--------+----------+--------+--------+
///   | greeting | number | provider | length |  name  |   little-endian
///   +----------+--------+----------+--------+--------+
/// ```
///
/// @param greeting what connected sides say too
/// @param number what packets to this side begin with
/// @param provider the library's, by its name: both sides must have the same
/// @param name what that calls the endpoint; its length is in the hello
record RdmHello(Greeting greeting, long number, String provider, ByteBuffer name) {
  static final int BYTES = 256;
  private static final int NUMBER = Greeting.BYTES;
  private static final int PROVIDER = NUMBER + Long.BYTES;
  private static final int PROVIDER_BYTES = 16;
  private static final int LENGTH = PROVIDER + PROVIDER_BYTES;
  private static final int NAME = LENGTH + Integer.BYTES;

  /// Names that are addresses of sockets begin with a family of so many bytes.
  private static final int FAMILY_BYTES = 2;

  /// An answer that does not accept.
  static RdmHello refusal(Hello answer) {
    return new RdmHello(new Greeting(answer, 0, 0), 0, "", ByteBuffer.allocate(0));
  }

  /// Whether the provider and the name are short enough.
  boolean fits() {
    return provider.length() <= PROVIDER_BYTES && name.remaining() <= BYTES - NAME;
  }

  /// Whether an endpoint can be what another hello says: of the same provider, with a name of the
  /// same length, and in the same family of addresses. The library reads names as they are.
  boolean isReachableBy(RdmHello other) {
    return provider.equals(other.provider)
        && name.remaining() == other.name.remaining()
        && name.remaining() >= FAMILY_BYTES
        && (!Addresses.ofSockets(provider)
            || name.slice(0, FAMILY_BYTES).equals(other.name.slice(0, FAMILY_BYTES)));
  }

  ByteBuffer toBytes() {
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(0, greeting.toBytes(), 0, Greeting.BYTES)
        .putLong(NUMBER, number)
        .put(PROVIDER, provider.getBytes(StandardCharsets.US_ASCII))
        .putInt(LENGTH, name.remaining())
        .put(NAME, name, 0, name.remaining());
  }

  /// Reads one.
  ///
  /// @return null if it is something else
  static @Nullable RdmHello from(byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    Greeting greeting = Greeting.from(bytes);
    int length = bytes.getInt(LENGTH);
    if (greeting == null || length < 0 || length > BYTES - NAME) {
      return null;
    }
    byte[] text = Arrays.copyOfRange(content, PROVIDER, LENGTH);
    return new RdmHello(
        greeting,
        bytes.getLong(NUMBER),
        new String(text, StandardCharsets.US_ASCII).replace("\0", ""),
        bytes.slice(NAME, length));
  }
}
