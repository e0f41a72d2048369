package dev.tigris.message.call;

import java.util.random.RandomGenerator;

/// Chooses the server that has the fewest calls, and among equals the next one after the last.
enum FewestCalls implements CallPolicy {
  FEWEST_CALLS;

  @Override
  public int choose(ServersView servers, RandomGenerator random) {
    int best = WAIT;
    int count = servers.servers();
    for (int i = 1; i <= count; i++) {
      int next = (servers.last() + i) % count;
      if (servers.isOpen(next)
          && (best == WAIT || servers.outstanding(next) < servers.outstanding(best))) {
        best = next;
      }
    }
    return best;
  }
}
