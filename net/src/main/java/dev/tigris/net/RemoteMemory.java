package dev.tigris.net;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Memory of the peer: what [RemoteAccess#expose] has given there. The application sends it here,
/// in a message for example.
///
/// @param address where it begins, as the network says it
/// @param key by which the network knows that access is allowed
/// @param bytes its length
public record RemoteMemory(long address, long key, long bytes) {
  /// The length of what [#toBytes] gives.
  public static final int ENCODED_BYTES = 3 * Long.BYTES;

  /// Encodes the range to be sent to a peer.
  public byte[] toBytes() {
    return ByteBuffer.allocate(ENCODED_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(address)
        .putLong(key)
        .putLong(bytes)
        .array();
  }

  /// Decodes a range that a peer has sent.
  ///
  /// @throws IllegalArgumentException if it has another length
  public static RemoteMemory from(byte[] encoded) {
    if (encoded.length != ENCODED_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes where %d were sent".formatted(encoded.length, ENCODED_BYTES));
    }
    ByteBuffer in = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
    return new RemoteMemory(in.getLong(), in.getLong(), in.getLong());
  }
}
