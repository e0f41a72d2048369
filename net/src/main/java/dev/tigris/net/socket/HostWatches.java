package dev.tigris.net.socket;

import dev.tigris.os.TcpPeer;
import java.util.ArrayList;
import java.util.List;

/// The watches of a port's links. A port calls [#look] in each progress, and waits for no longer
/// than [#pauseNanos].
///
/// Thread rule: that of the port, but for [#pauseNanos] and [#waited], which the thread calls that
/// waits.
public final class HostWatches {
  private static final int CALLS_BETWEEN_CLOCKS = 256;

  private final List<HostWatch> all = new ArrayList<>();
  private volatile long pauseNanos = Long.MAX_VALUE;
  private volatile boolean hasWaited;
  private long lookedAt = System.nanoTime();
  private int calls;

  /// Makes an empty group.
  public HostWatches() {}

  /// Adds the watch of a new link.
  public void add(HostWatch watch) {
    all.add(watch);
    pauseNanos = Math.min(pauseNanos, watch.pauseNanos());
  }

  /// Removes the watch of a link that has ended.
  public void remove(HostWatch watch) {
    all.remove(watch);
    if (all.isEmpty()) {
      pauseNanos = Long.MAX_VALUE;
    }
  }

  /// Returns how long a wait may take at the most.
  public long pauseNanos() {
    return pauseNanos;
  }

  /// A thread has waited: the clock is worth a look.
  public void waited() {
    hasWaited = true;
  }

  /// Looks after all links, if it is time. Links may be removed meanwhile.
  public void look() {
    if (all.isEmpty() || !(hasWaited || ++calls % CALLS_BETWEEN_CLOCKS == 0)) {
      return;
    }
    hasWaited = false;
    long now = System.nanoTime();
    long before = lookedAt;
    if (now - before < pauseNanos) {
      return;
    }
    lookedAt = now;
    List<HostWatch> wanted = new ArrayList<>();
    List<TcpPeer> unknown = new ArrayList<>();
    for (HostWatch each : all) {
      if (each.isWanted()) {
        wanted.add(each);
        if (each.peer().isUnknown()) {
          unknown.add(each.peer());
        }
      }
    }
    if (!unknown.isEmpty()) {
      TcpPeer.find(unknown);
    }
    for (HostWatch each : wanted) {
      each.look(now, before);
    }
  }
}
