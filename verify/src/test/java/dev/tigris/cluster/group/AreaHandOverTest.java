package dev.tigris.cluster.group;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A member's data and its call happen before others see the round published: the release
/// of `Area.publish`, and the acquire of `Area.published`.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing there yet")
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "the first one seen too early")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the second one not there yet")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both there")
@Outcome(expect = Expect.FORBIDDEN, desc = "a round from before it was written")
@State
public class AreaHandOverTest {
  private final SharedRounds area = new SharedRounds();

  /// The member that writes.
  @Actor
  public void write() {
    area.give(1, 1);
    area.give(2, 2);
  }

  /// Another one.
  @Actor
  public void read(II_Result result) {
    result.r1 = area.isGiven(1) ? area.take(1) : 0;
    result.r2 = area.isGiven(2) ? area.take(2) : 0;
  }
}
