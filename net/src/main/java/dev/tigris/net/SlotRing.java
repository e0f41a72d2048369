package dev.tigris.net;

import dev.tigris.memory.Jbuf;
import java.lang.foreign.MemorySegment;

/// The buffers of one direction of an [ArrayInterface], and what is posted with them: both used in
/// turn.
///
/// Thread rule: that of the interface.
final class SlotRing {
  final Jbuf[] jbufs;
  final Ticket[] tickets;
  final MemorySegment[] memory;
  final ArrayInterface.Posted[] posted;
  long posts;
  long completed;

  SlotRing(VirtualInterface link, int slots, int slotBytes) {
    jbufs = new Jbuf[slots];
    tickets = new Ticket[slots];
    memory = new MemorySegment[slots];
    posted = new ArrayInterface.Posted[slots];
    boolean made = false;
    try {
      for (int i = 0; i < slots; i++) {
        jbufs[i] = Jbuf.allocate(slotBytes, "net.arrays");
        tickets[i] = link.register(jbufs[i].asBytes());
        memory[i] = tickets[i].region().segment();
        posted[i] = new ArrayInterface.Posted();
      }
      made = true;
    } finally {
      if (!made) {
        free(link);
      }
    }
  }

  int slot(long number) {
    return (int) (number % tickets.length);
  }

  boolean isFull() {
    return posts - completed == tickets.length;
  }

  /// Gives back the buffers that are not posted.
  void free(VirtualInterface link) {
    for (int i = 0; i < tickets.length; i++) {
      Ticket ticket = tickets[i];
      if (ticket != null && ticket.isRegistered() && ticket.status() != Status.POSTED) {
        link.deregister(ticket);
        memory[i] = MemorySegment.NULL;
        jbufs[i].unreference(Jbuf::free);
      }
    }
  }
}
