package dev.tigris.examples.packets;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// The header of an internet packet (RFC 791). The restricted rules in `src/main/rules/ipv4.rules`
/// give its methods their meaning.
public final class Ipv4 extends Pso {
  @Capacity(20)
  private Bytes header;

  /// A new header, all zero.
  @SuppressWarnings("NullAway") // what lies in place is always there
  public Ipv4(Container container) {
    super(container);
  }

  public native int version();

  public native int headerBytes();

  public native int length();

  public native boolean mayBeFragmented();

  public native int timeToLive();

  public native void timeToLive(int hops);

  public native int protocol();

  public native int checksum();

  public native void checksum(int sum);

  public native int source();

  public native int destination();

  /// Whether the ones' complement sum of the header's words is all ones (RFC 1071).
  public boolean isIntact() {
    int sum = 0;
    for (long at = 0; at < header.length(); at += 2) {
      sum += (header.get(at) & 0xff) << 8 | (header.get(at + 1) & 0xff);
    }
    return (sum & 0xffff) + (sum >>> 16) == 0xffff;
  }
}
