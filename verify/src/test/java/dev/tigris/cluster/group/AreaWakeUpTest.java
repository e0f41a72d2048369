package dev.tigris.cluster.group;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// A member that goes to sleep sees the round, or is woken: the full fences of `Area.sleep` and
/// `Area.publish`, of which each needs the other.
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "it stays awake")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it sleeps, and is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it is woken in vain")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps for ever")
@State
public class AreaWakeUpTest {
  private final SharedRounds giver = new SharedRounds();
  private final SharedRounds sleeper = new SharedRounds();

  /// Goes to sleep, unless the round is there.
  @Actor
  public void sleep(ZZ_Result result) {
    sleeper.area().sleep(1);
    result.r1 = giver.isGiven(1);
  }

  /// Publishes the round, and wakes a sleeping member.
  @Actor
  public void give(ZZ_Result result) {
    giver.give(1, 1);
    result.r2 = sleeper.area().waitsFor(1);
  }
}
