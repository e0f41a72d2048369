package dev.tigris.flow.policy;

import java.util.List;
import java.util.random.RandomGenerator;

/// Takes from the ready input whose stage or feed is named first; among equals, the next in turn.
///
/// @param names the names, the most urgent one first
record ByPriority(List<String> names) implements InputPolicy {
  ByPriority {
    names = List.copyOf(names);
  }

  @Override
  public int choose(ReceiverView view, RandomGenerator random) {
    int inputs = view.inputs();
    int input = view.last();
    int best = WAIT;
    int bestRank = Integer.MAX_VALUE;
    for (int tried = 0; tried < inputs; tried++) {
      input = input + 1 < inputs ? input + 1 : 0;
      if (view.isReady(input)) {
        int rank = rank(view.from(input));
        if (rank < bestRank) {
          best = input;
          bestRank = rank;
        }
      }
    }
    return best;
  }

  private int rank(String from) {
    int rank = names.indexOf(from);
    return rank < 0 ? names.size() : rank;
  }
}
