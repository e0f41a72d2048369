package dev.tigris.cluster;

import dev.tigris.memory.Bytes;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;

/// The tickets of one interface for whole buffers of waters. A buffer stays registered when its
/// water has gone, so that it costs nothing when it comes again: a spring uses few buffers. Where
/// more come, those that were registered first are given up, so that the memory which is held this
/// way is bounded.
///
/// ```
/// registered <= most + posted
/// ```
///
/// Thread rule: that of the interface's queue.
final class Tickets {
  private final VirtualInterface of;
  private final int most;

  /// By the view of the buffer, which is one object for its life.
  private final IdentityHashMap<Bytes, Ticket> all = new IdentityHashMap<>();

  private final ArrayDeque<Bytes> inOrder = new ArrayDeque<>();

  Tickets(VirtualInterface of, int most) {
    this.of = of;
    this.most = most;
  }

  /// Returns the ticket of a buffer. The caller posts it before it asks for another.
  Ticket of(Bytes buffer) {
    Ticket known = all.get(buffer);
    if (known != null) {
      return known;
    }
    if (all.size() >= most) {
      giveOneUp();
    }
    Ticket made = of.register(buffer);
    all.put(buffer, made);
    inOrder.addLast(buffer);
    return made;
  }

  private void giveOneUp() {
    for (int i = inOrder.size(); i > 0; i--) {
      Bytes buffer = inOrder.removeFirst();
      Ticket ticket = all.get(buffer);
      if (ticket != null && ticket.status() != Status.POSTED) {
        all.remove(buffer);
        of.deregister(ticket);
        return;
      }
      inOrder.addLast(buffer);
    }
  }

  int count() {
    return all.size();
  }
}
