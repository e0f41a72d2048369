package dev.tigris.cluster;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// The owner and the helper use a plain number by turns: neither sees half of what the other one
/// does, and nothing is lost.
@JCStressTest
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "the helper came too late")
@Outcome(id = "10, 1, 11", expect = Expect.ACCEPTABLE, desc = "the helper came first")
@Outcome(expect = Expect.FORBIDDEN, desc = "both have used it at once")
@State
public class LendingTest {
  private final Lending lending = new Lending();
  private int number;

  /// Begins lent, as a module's call does.
  public LendingTest() {
    lending.lend();
  }

  /// The owner takes it back.
  @Actor
  public void reclaim(III_Result result) {
    lending.reclaim();
    result.r1 = number;
    number++;
  }

  /// The helper makes a step.
  @Actor
  public void help(III_Result result) {
    if (lending.take()) {
      result.r2 = 1;
      number += 5;
      number += 5;
      lending.giveBack();
    }
  }

  /// The number, after both.
  @Arbiter
  public void look(III_Result result) {
    result.r3 = number;
  }
}
