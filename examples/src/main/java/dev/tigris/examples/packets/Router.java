package dev.tigris.examples.packets;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;

/// Forwards packets in place, without decoding, copying or allocation: external objects (Welsh, MS
/// thesis, 1999, section 3.2) whose methods have their meaning from a restricted rule.
///
/// ```sh
/// ./tigris example packets.Router
/// ```
public final class Router {
  private Router() {}

  /// Takes one hop from a packet's time to live, and updates its checksum (RFC 1141).
  ///
  /// @return whether the packet is to be sent on
  public static boolean forward(Ipv4 packet) {
    int hops = packet.timeToLive();
    if (hops <= 1) {
      return false;
    }
    packet.timeToLive(hops - 1);
    int sum = packet.checksum() + 0x100;
    packet.checksum(sum + (sum >>> 16));
    return true;
  }

  /// Forwards one packet until it has no hops left.
  public static void main(String[] arguments) {
    byte[] bytes = {
      0x45,
      0,
      0,
      0x73,
      0,
      0,
      0x40,
      0,
      5,
      0x11,
      (byte) 0xf3,
      0x61, // up to the checksum
      (byte) 192,
      (byte) 168,
      0,
      1,
      (byte) 192,
      (byte) 168,
      0,
      (byte) 199,
      0,
      0,
      0,
      0
    };
    Bytes buffer = Jbuf.allocate(bytes.length).asBytes();
    buffer.copyFrom(0, bytes, 0, bytes.length);
    Ipv4 packet = buffer.asRawContainer().at(0, Ipv4.class);
    System.out.printf("IPv%d, %d bytes%n", packet.version(), packet.length());
    while (forward(packet)) {
      System.out.printf(
          "%d hops left, checksum %04x %s%n",
          packet.timeToLive(), packet.checksum(), packet.isIntact() ? "right" : "wrong");
    }
  }
}
