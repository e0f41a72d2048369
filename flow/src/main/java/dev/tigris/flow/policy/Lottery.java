package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Holds the papers' lottery (Welsh and Culler, 2000, section 2.3): every credit is a ticket, one
/// ticket is drawn, and the stream that holds it wins. A stream whose receiver lags has few credits
/// left, so little is sent to it.
enum Lottery implements Policy {
  LOTTERY;

  @Override
  public int choose(SenderView view, RandomGenerator random) {
    int streams = view.streams();
    long tickets = 0;
    for (int stream = 0; stream < streams; stream++) {
      tickets += Math.max(0, view.credits(stream));
    }
    if (tickets == 0) {
      return WAIT;
    }
    long drawn = random.nextLong(tickets);
    for (int stream = 0; ; stream++) {
      drawn -= Math.max(0, view.credits(stream));
      if (drawn < 0) {
        return stream;
      }
    }
  }
}
