package dev.tigris.net.socket;

import dev.tigris.net.Counters;
import dev.tigris.net.provider.Link;
import dev.tigris.os.TcpPeer;
import java.time.Duration;

/// Notices that the host of a link's peer has died, or that the way to it is cut, while it owes an
/// acknowledgement. The kernel would send again for a quarter of an hour. A connection with nothing
/// under way is not its business: there the kernel asks, where it was told to.
///
/// A peer is silent if it owed something at each look for the whole limit, and nothing came. A host
/// acknowledges in the place of a process that is stopped, or computes.
///
/// The option `TCP_USER_TIMEOUT` of Linux is no substitute: it also ends a connection whose peer
/// has no room for so long, although the peer's host answers each probe.
///
/// Thread rule: that of the link.
public final class HostWatch {
  /// So many looks in a limit.
  static final int LOOKS = 8;

  private final Link link;
  private final TcpPeer peer;
  private final Duration limit;

  // How many messages had been received, and sent, at the last look.
  private long received;
  private long sent;

  /// How many messages had been sent when all of them were acknowledged.
  private long sentAndHad;

  private boolean owes;
  private long owesSince;

  /// Makes one for a link, with the limit of its attributes.
  public HostWatch(Link link, TcpPeer peer) {
    this.link = link;
    this.peer = peer;
    this.limit = link.attributes().silence();
  }

  TcpPeer peer() {
    return peer;
  }

  long pauseNanos() {
    return limit.toNanos() / LOOKS;
  }

  /// Returns whether the kernel is to be asked: nothing has come since the last look, and something
  /// was sent that may not be acknowledged.
  boolean isWanted() {
    Counters counters = link.counters(0, 0);
    boolean hasHeard = counters.messagesReceived() != received;
    received = counters.messagesReceived();
    sent = counters.messagesSent();
    if (hasHeard || (!link.isSending() && sent == sentAndHad)) {
      owes = false;
      return false;
    }
    return true;
  }

  /// Asks the kernel, and breaks the connection of a peer that was silent for the limit.
  ///
  /// @param before when the look before this one was
  void look(long now, long before) {
    boolean owed = owes;
    owes = peer.look() && peer.owes() && peer.sinceMillis() * 1_000_000 >= now - before;
    if (!owes) {
      if (!link.isSending() && peer.hasAll()) {
        sentAndHad = sent;
      }
    } else if (!owed) {
      owesSince = now;
    } else if (now - owesSince >= limit.toNanos()) {
      link.fail(
          "its host has acknowledged nothing for %d seconds: it is down, or the network is cut"
              .formatted(limit.toSeconds()));
    }
  }
}
