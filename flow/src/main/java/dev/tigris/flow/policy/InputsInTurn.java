package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Takes from the next ready input in turn (Welsh and Culler, 2000, section 2.3).
enum InputsInTurn implements InputPolicy {
  IN_TURN;

  @Override
  public int choose(ReceiverView view, RandomGenerator random) {
    int inputs = view.inputs();
    int input = view.last();
    for (int tried = 0; tried < inputs; tried++) {
      input = input + 1 < inputs ? input + 1 : 0;
      if (view.isReady(input)) {
        return input;
      }
    }
    return WAIT;
  }
}
