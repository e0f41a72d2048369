package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Takes from the input that has been ready for longest; among equals, the next in turn.
enum OldestFirst implements InputPolicy {
  OLDEST_FIRST;

  @Override
  public int choose(ReceiverView view, RandomGenerator random) {
    int inputs = view.inputs();
    int input = view.last();
    int oldest = WAIT;
    for (int tried = 0; tried < inputs; tried++) {
      input = input + 1 < inputs ? input + 1 : 0;
      if (view.isReady(input)
          && (oldest == WAIT || view.readyNanos(input) > view.readyNanos(oldest))) {
        oldest = input;
      }
    }
    return oldest;
  }
}
