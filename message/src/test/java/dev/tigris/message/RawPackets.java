package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Posting;
import dev.tigris.net.VirtualInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// Packets of the protocol, made byte by byte: for peers that do not keep to it.
final class RawPackets {
  static final int HEADER_BYTES = 48;

  /// The first byte of a packet of data with a short header.
  private static final byte SHORT = (byte) 212;

  static final int GREETING = 1;
  static final int REFUSAL = 3;
  static final int DATA = 4;
  static final int ACKNOWLEDGEMENT = 5;
  static final int COUNTS = 8;
  static final int BULK_GREETING = 9;

  /// The session of all packets, and their connection.
  private static final long SESSION = 99;

  private RawPackets() {}

  /// Returns the kind of a packet that has arrived.
  static int kind(byte[] packet) {
    return packet[0] == SHORT ? DATA : packet[3];
  }

  static void send(VirtualInterface link, byte[] content) {
    Bytes bytes = Jbuf.allocate(Math.max(1, content.length), "test").asBytes();
    bytes.copyFrom(0, content, 0, content.length);
    Posting _ = link.postSend(link.register(bytes).range(0, content.length));
    link.ring();
  }

  static byte[] packet(int kind, long number, byte[] body) {
    return packet(kind, number, 0, 0, body);
  }

  static byte[] packet(int kind, long number, long acknowledged, long silent, byte[] body) {
    ByteBuffer packet =
        ByteBuffer.allocate(HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
    packet.putInt('T' | 'A' << 8 | 'M' << 16 | kind << 24).putInt(1).putLong(SESSION);
    packet.putLong(number).putLong(acknowledged).putLong(silent);
    packet.putInt(body.length).putInt(0).put(body);
    CRC32C checksum = new CRC32C();
    checksum.update(packet.array());
    int value = (int) checksum.getValue();
    return packet.putInt(44, value == 0 ? 1 : value).array();
  }

  static byte[] greeting(int lowest, int highest, String name, long tag) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = ByteBuffer.allocate(28 + 2 * bytes.length).order(ByteOrder.LITTLE_ENDIAN);
    body.putInt(lowest | highest << 16).putInt(1).putLong(tag).putInt(8);
    body.putInt(bytes.length).putInt(bytes.length).put(bytes).put(bytes);
    return packet(GREETING, 0, body.array());
  }

  /// Three numbers: counts of pieces, and more.
  static byte[] longs(long... values) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (long each : values) {
      bytes.putLong(each);
    }
    return bytes.array();
  }
}
