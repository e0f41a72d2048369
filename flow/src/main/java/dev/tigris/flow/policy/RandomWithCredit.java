package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Chooses one of the streams that have credit, all equally likely.
enum RandomWithCredit implements Policy {
  RANDOM;

  @Override
  public int choose(SenderView view, RandomGenerator random) {
    int streams = view.streams();
    int acceptable = 0;
    for (int stream = 0; stream < streams; stream++) {
      if (view.credits(stream) > 0) {
        acceptable++;
      }
    }
    if (acceptable == 0) {
      return WAIT;
    }
    int winner = random.nextInt(acceptable);
    for (int stream = 0; ; stream++) {
      if (view.credits(stream) > 0 && winner-- == 0) {
        return stream;
      }
    }
  }
}
