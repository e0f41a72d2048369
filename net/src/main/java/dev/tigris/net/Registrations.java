package dev.tigris.net;

import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/// The memory that is registered with an interface: once for all of its tickets.
final class Registrations {
  private final VirtualInterface owner;
  private final Link link;

  /// By the view or the array.
  private final IdentityHashMap<Object, Registration> all = new IdentityHashMap<>();

  private long bytes;

  private record Registration(Region region, Set<Ticket> tickets) {}

  Registrations(VirtualInterface owner, Link link) {
    this.owner = owner;
    this.link = link;
  }

  /// How much memory there is, each view or array counted once.
  int count() {
    return all.size();
  }

  long bytes() {
    return bytes;
  }

  /// A new ticket for a view or an array.
  ///
  /// @param region makes its region if it is the first one
  Ticket add(Object memory, Supplier<Region> region) {
    Registration registration = all.get(memory);
    if (registration == null) {
      registration = new Registration(region.get(), new HashSet<>());
      link.register(registration.region);
      all.put(memory, registration);
      bytes += registration.region.bytes();
    }
    Ticket ticket = new Ticket(owner, registration.region);
    registration.tickets.add(ticket);
    return ticket;
  }

  /// Forgets a ticket, and the memory with the last one of it.
  void remove(Ticket ticket) {
    Region region = ticket.region();
    Object memory = region.memory();
    Set<Ticket> left = Objects.requireNonNull(all.get(memory)).tickets;
    left.remove(ticket);
    if (left.isEmpty()) {
      all.remove(memory);
      bytes -= region.bytes();
      deregister(region);
    }
  }

  /// Forgets all but what a provider that has failed may touch still: what is posted, and what it
  /// did not deregister. That stays held.
  void clear() {
    Closing closing = new Closing();
    for (Registration registration : all.values()) {
      if (!registration.region.isPosted()) {
        closing.attempt(() -> deregister(registration.region));
      }
    }
    all.clear();
    bytes = 0;
    closing.finish();
  }

  private void deregister(Region region) {
    link.deregister(region);
    region.forget();
  }
}
