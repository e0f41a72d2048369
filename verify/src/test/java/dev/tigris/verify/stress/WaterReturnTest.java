package dev.tigris.verify.stress;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Water;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A water that comes back to its spring from another thread is found again, with what that thread
/// did to it: the compare-and-set that pushes it in `BufferSpring`, and the `getAndSet` that takes
/// it.
@JCStressTest
@Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "found afterwards")
@Outcome(id = "7, 0", expect = Expect.ACCEPTABLE, desc = "found at once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or seen before it was back")
@State
public class WaterReturnTest {
  private final BufferSpring spring = new BufferSpring("stress");
  private final Water water;

  /// The water is made by a thread that is neither of the actors.
  public WaterReturnTest() {
    water = CompletableFuture.supplyAsync(() -> spring.createWater(4)).join();
  }

  /// Brings it back.
  @Actor
  public void bring() {
    water.bytes().setInt(0, 7);
    water.release();
  }

  /// Takes it if it is there, else a new one, which holds zeros.
  @Actor
  public void take(II_Result result) {
    result.r1 = spring.createWater(4).bytes().getInt(0);
  }

  /// Takes what is there afterwards.
  @Arbiter
  public void takeRest(II_Result result) {
    result.r2 = spring.createWater(4).bytes().getInt(0);
  }
}
