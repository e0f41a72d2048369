package dev.tigris.message.call;

/// Places that all clients of a server share. A client may take one more while it has at most seven
/// times as many as are free. So one client alone has seven eighths of them, and leaves the rest to
/// those that come; of two or more that want all, each ends with as many as the others, as places
/// are given back. Up to eight places, one client may have them all.
///
/// Conserved: taken = what all clients have, and at most the total.
///
/// Thread rule: the server's thread.
final class Places {
  private static final long TIMES_FREE = 7;

  private final long total;
  private long taken;

  Places(long total) {
    this.total = total;
  }

  /// Whether a client that has so many may take one more.
  boolean mayTake(int has) {
    long free = total - taken;
    return free > 0 && has <= TIMES_FREE * free;
  }

  boolean areAllTaken() {
    return taken >= total;
  }

  boolean areAllFree() {
    return taken == 0;
  }

  /// Takes one: the client counts it, too.
  void take() {
    taken++;
  }

  void giveBack() {
    taken--;
  }

  @Override
  public String toString() {
    return "%d of %d places are taken".formatted(taken, total);
  }
}
