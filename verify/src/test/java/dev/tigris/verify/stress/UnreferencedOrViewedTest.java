package dev.tigris.verify.stress;

import dev.tigris.memory.FreedException;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.ReferencedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A Jbuf that one thread views while its owner unreferences it is not free as long as that view is
/// held, however soon the collector runs.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "viewed in time, and not freed")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "viewed too late, and not verified yet")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "viewed too late, verified and freed")
@Outcome(expect = Expect.FORBIDDEN, desc = "freed under a view")
@State
public class UnreferencedOrViewedTest {
  private final Jbuf jbuf = Jbuf.allocate(64);

  /// Holds the view to the end.
  private Ints held;

  /// Makes the Jbuf a referenced one, by a view that is not kept.
  public UnreferencedOrViewedTest() {
    jbuf.asInts().set(15, 1);
  }

  /// The reader.
  @Actor
  public void view(II_Result result) {
    try {
      held = jbuf.asInts();
      result.r1 = held.get(15);
    } catch (ReferencedException | FreedException e) {
      result.r1 = 0;
    }
  }

  /// The owner.
  @Actor
  public void unreference(II_Result result) {
    jbuf.unreference(verified -> {});
    try {
      jbuf.free();
      result.r2 = 1;
    } catch (ReferencedException e) {
      result.r2 = 0;
    }
  }
}
