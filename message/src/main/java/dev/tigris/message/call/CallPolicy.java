package dev.tigris.message.call;

import java.util.random.RandomGenerator;

/// Chooses the server of a call, where a client has several. It is what the policies of a flow are
/// to streams, and can be made of one of them.
///
/// A policy is a pure function: what it returns follows from its arguments alone. Whatever it
/// throws or returns that cannot be, the client takes the server with the fewest calls.
@FunctionalInterface
public interface CallPolicy {
  /// The choice to wait: no server is acceptable now.
  int WAIT = -1;

  /// Returns the number of the server, or [#WAIT]. The client asks only while one is open.
  int choose(ServersView servers, RandomGenerator random);

  /// Returns the policy that takes the server that has the fewest of this client's calls; among
  /// equals, in turn.
  static CallPolicy leastOutstanding() {
    return FewestCalls.FEWEST_CALLS;
  }

  /// Returns the policy that takes the servers that are open in turn, however busy they are.
  static CallPolicy roundRobin() {
    return (servers, random) -> {
      for (int i = 1; i <= servers.servers(); i++) {
        int next = (servers.last() + i) % servers.servers();
        if (servers.isOpen(next)) {
          return next;
        }
      }
      return WAIT;
    };
  }
}
