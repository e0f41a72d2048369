package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Chooses the next open stream in turn, whether it has credit or not: without credit, the sender
/// waits.
enum RoundRobin implements Policy {
  ROUND_ROBIN;

  @Override
  public int choose(SenderView view, RandomGenerator random) {
    int streams = view.streams();
    int stream = view.last();
    for (int tried = 0; tried < streams; tried++) {
      stream = stream + 1 < streams ? stream + 1 : 0;
      if (view.isOpen(stream)) {
        return view.credits(stream) > 0 ? stream : WAIT;
      }
    }
    return END;
  }
}
