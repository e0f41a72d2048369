package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.provider.SendQueue;
import dev.tigris.net.provider.Transfer;
import java.util.Objects;

/// The sending half of a link.
///
/// ```text
///   sends      [ done | sent, offered or on its way | posted ]
///                     ^ completed up to here        ^ as far as there is credit
/// ```
///
/// Conserved: credits + packets with content that were sent and not credited again = the window.
final class LibfabricSender {
  /// Longer messages are offered. Shorter ones travel in pieces, which costs a copy, and saves the
  /// time of an offer and of the request to read it. So do those in files, of any length.
  private static final long LONG_BYTES = 256 * 1024;

  private final Packets packets;
  private final SendQueue sends;
  private final Outbound[] outbounds;
  private final int window;
  private final long piecesBytes;
  private int credits;
  private int first;
  private int started;
  private int offers;

  /// Whether a part of the message behind those that are started was sent.
  private boolean begun;

  /// @param window how many messages the peer takes before it gives credit
  /// @param offers whether long messages are offered
  LibfabricSender(
      Device device, Packets packets, SendQueue sends, int depth, int window, boolean offers) {
    this.packets = packets;
    this.sends = sends;
    this.window = window;
    this.credits = window;
    this.piecesBytes =
        offers ? Math.min(LONG_BYTES, (long) window * Packet.CONTENT_BYTES) : Long.MAX_VALUE;
    this.outbounds = new Outbound[depth];
    for (int i = 0; i < depth; i++) {
      outbounds[i] = new Outbound(device);
    }
  }

  private Outbound outbound(int index) {
    return outbounds[(first + index) % outbounds.length];
  }

  /// Starts what there is credit for; returns what the library says to the last packet.
  long push() {
    long result = 0;
    while (result == 0 && started < sends.size()) {
      Transfer next = Objects.requireNonNull(sends.peek(started));
      Outbound outbound = outbound(started);
      if (!begun) {
        outbound.start(packets.sequence());
      }
      if (next.remote() != Transfer.Remote.NONE) {
        result = packets.access(next, outbound);
      } else if (credits == 0) {
        return 0;
      } else {
        result =
            next.bytes() > piecesBytes && !next.isMapped()
                ? packets.offer(next, outbound)
                : packets.send(next, outbound);
        credits -= result == 0 ? 1 : 0;
      }
      offers += result == 0 && outbound.isOffered() ? 1 : 0;
      begun = result != 0 ? begun || outbound.sent > 0 : outbound.sent < next.bytes();
      started += result == 0 && !begun ? 1 : 0;
    }
    return result;
  }

  /// How many messages are offered, and not taken.
  int offers() {
    return offers;
  }

  /// Takes the first message from the queue if it is sent: the caller completes it.
  boolean takeSent() {
    if (started == 0 || !outbound(0).isDone()) {
      return false;
    }
    first = (first + 1) % outbounds.length;
    started--;
    return true;
  }

  /// The peer can take more messages. Returns whether it may say so.
  boolean credit(int count) {
    credits += count;
    return credits <= window;
  }

  /// The peer needs what was offered no longer. Returns whether there was such an offer.
  boolean taken(int sequence) {
    for (int i = 0; i < started; i++) {
      Outbound outbound = outbound(i);
      if (outbound.isOffered() && outbound.sequence == sequence) {
        outbound.taken();
        offers--;
        return true;
      }
    }
    return false;
  }

  /// Ends all offers: the endpoint is closed.
  void close() {
    for (Outbound each : outbounds) {
      each.deregister();
    }
    started = 0;
    offers = 0;
  }

  void checkInvariants() {
    if (credits < 0 || credits > window || started > sends.size()) {
      throw new IllegalStateException(
          "%d of %d credits, %d of %d sends started"
              .formatted(credits, window, started, sends.size()));
    }
  }
}
