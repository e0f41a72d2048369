package dev.tigris.cluster.group;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Two members exchange a number in each of several rounds, as `Areas` does. Neither writes to a
/// half that the other still reads, since it has seen the round behind that published. The second
/// member of the first round is its root: it waits for none there.
@JCStressTest
@Outcome(id = "15, 14", expect = Expect.ACCEPTABLE, desc = "each has read what was given")
@Outcome(expect = Expect.FORBIDDEN, desc = "a number of another round")
@State
public class AreaRoundsTest {
  private static final int ROUNDS = 5;

  private final SharedRounds one = new SharedRounds();
  private final SharedRounds another = new SharedRounds();

  private static int exchange(SharedRounds own, SharedRounds other, int firstTaken) {
    int sum = 0;
    for (int round = 1; round <= ROUNDS; round++) {
      while (!other.isGiven(round - 1)) {
        Thread.onSpinWait();
      }
      own.give(round, round);
      if (round >= firstTaken) {
        while (!other.isGiven(round)) {
          Thread.onSpinWait();
        }
        sum += other.take(round);
      }
    }
    return sum;
  }

  /// One member.
  @Actor
  public void one(II_Result result) {
    result.r1 = exchange(one, another, 1);
  }

  /// The other one.
  @Actor
  public void another(II_Result result) {
    result.r2 = exchange(another, one, 2);
  }
}
