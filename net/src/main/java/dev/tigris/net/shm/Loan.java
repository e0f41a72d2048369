package dev.tigris.net.shm;

import dev.tigris.os.UnixSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Memory that its owner lets the peer read: messages in it need not be copied into the ring. What
/// a packet of the socket says about it:
///
/// ```text
///   0        4        8
///   +--------+--------+
///   | what   | number |   what: 2 it is lent, the file comes with the packet; 3 it is taken back
///   +--------+--------+
/// ```
///
/// A number is used once in the life of a connection: its lowest six bits say which of the
/// [#MOST] loans it is, the others how many that was before. So a message that names a loan which
/// the reader has not heard of yet cannot be taken for one that lies in the loan before.
///
/// @param number as above
record Loan(int number) {
  /// How many each side may have at a time: what a peer can make this one map is bounded.
  static final int MOST = 64;

  /// How many bytes they may have together.
  static final long MOST_BYTES = 1L << 30;

  /// The shortest message that is not copied into the ring: below, one that is costs less.
  static final int LEAST_BYTES = 4096;

  /// How long a packet is.
  static final int PACKET_BYTES = 8;

  static final int LENT = 2;
  static final int TAKEN_BACK = 3;

  /// Which one of the [#MOST] a number is.
  static int index(int number) {
    return number & (MOST - 1);
  }

  /// What is to be said about it.
  ByteBuffer packet(int what) {
    return ByteBuffer.allocate(PACKET_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(what)
        .putInt(number)
        .flip();
  }

  /// What a packet says; 0 if it is about something else.
  static int what(UnixSocket.Packet packet) {
    return packet.bytes().remaining() == PACKET_BYTES ? packet.bytes().getInt(0) : 0;
  }

  /// The loan that it says that of.
  static Loan of(UnixSocket.Packet packet) {
    return new Loan(packet.bytes().getInt(Integer.BYTES));
  }
}
