package dev.tigris.net.libfabric;

import java.util.ArrayDeque;

/// The links of a device queue that have accepted a peer which has yet to say its first word. Who
/// says nothing for too long is given up.
///
/// Only time in which peers are looked for counts: while the owner of the queue is away, nobody can
/// be heard, however much was said.
final class AwaitedLinks {
  /// How much of the time between two looks counts, unless a thread has waited for something to do.
  private static final long MOST_BETWEEN_LOOKS_NANOS = 100_000_000;

  /// The first of them first. Some behind the first may have been heard.
  private final ArrayDeque<LibfabricLink> links = new ArrayDeque<>();

  /// For how long peers were looked for, and when that was last.
  private long lookedNanos;

  private long lookedAt;

  /// Adds a link.
  ///
  /// @return whether it is the only one
  boolean add(LibfabricLink link) {
    if (links.isEmpty()) {
      lookedAt = System.nanoTime();
    }
    links.removeIf(each -> each.isHeardOrGivenUp(lookedNanos));
    link.accepted(lookedNanos);
    links.add(link);
    return links.size() == 1;
  }

  /// Gives up those that were silent for too long, after all that has arrived was taken.
  ///
  /// @param waited whether a thread has waited for something to do since the last time
  void look(boolean waited) {
    if (links.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    long since = now - lookedAt;
    lookedNanos += waited ? since : Math.min(since, MOST_BETWEEN_LOOKS_NANOS);
    lookedAt = now;
    while (!links.isEmpty() && links.element().isHeardOrGivenUp(lookedNanos)) {
      links.remove();
    }
  }

  /// How long no thread should wait without a look.
  long leftNanos() {
    return links.isEmpty() ? Long.MAX_VALUE : links.element().silentForNanos(lookedNanos);
  }
}
