package dev.tigris.net.libfabric;

import dev.tigris.net.provider.BreachException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// What libfabric brings from a peer: what it says when it connects, and the headers of its packets
/// with what an offer has in them.
public final class PacketFuzz {
  private static final int MAXIMUM_BYTES = 1 << 20;

  private PacketFuzz() {}

  /// One input, read as a greeting, as a hello, and as a packet.
  public static void fuzzerTestOneInput(byte[] input) {
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    Greeting greeting = Greeting.from(in);
    if (greeting != null && !greeting.equals(Greeting.from(again(greeting.toBytes())))) {
      throw new AssertionError("a greeting is read as it was written");
    }
    RdmHello rdmHello = RdmHello.from(Arrays.copyOf(input, RdmHello.BYTES));
    if (rdmHello != null) {
      boolean reachable = rdmHello.isReachableBy(rdmHello);
      if (!rdmHello.fits() || (reachable && rdmHello.name().remaining() < 2)) {
        throw new AssertionError(rdmHello + " cannot be one");
      }
    }
    if (input.length >= Packet.HEADER_BYTES) {
      packet(MemorySegment.ofArray(input), in.getInt(Packet.HEADER_BYTES - Integer.BYTES));
    }
  }

  private static ByteBuffer again(ByteBuffer bytes) {
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void packet(MemorySegment memory, int sequence) {
    Packet packet = new Packet();
    try {
      packet.take(memory, memory.byteSize(), MAXIMUM_BYTES, sequence);
    } catch (BreachException e) {
      return;
    }
    boolean message = packet.kind == Packet.MESSAGE;
    if (packet.length > MAXIMUM_BYTES || (message && packet.content > packet.length)) {
      throw new AssertionError(packet.content + " of " + packet.length + " bytes");
    }
    if (packet.kind == Packet.OFFER) {
      long all = 0;
      for (int i = 0; i < packet.content / Packet.RANGE_BYTES; i++) {
        all = Math.addExact(all, Packet.rangeBytes(memory, i));
      }
      if (all != packet.length) {
        throw new AssertionError("an offer of " + all + " bytes in ranges, " + packet.length);
      }
    }
  }
}
