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

/// Two waters that come back to one spring at the same time are both found: the compare-and-set
/// that pushes them in `BufferSpring`.
@JCStressTest
@Outcome(id = "7, 8", expect = Expect.ACCEPTABLE, desc = "both are found")
@Outcome(expect = Expect.FORBIDDEN, desc = "one is lost")
@State
public class WaterReturnRaceTest {
  private final BufferSpring spring = new BufferSpring("stress");
  private final Water one;
  private final Water other;

  /// The waters are made by a thread that is neither of the actors.
  public WaterReturnRaceTest() {
    one = CompletableFuture.supplyAsync(() -> spring.createWater(4)).join();
    other = CompletableFuture.supplyAsync(() -> spring.createWater(4)).join();
  }

  /// Brings one back.
  @Actor
  public void bringOne() {
    one.bytes().setInt(0, 7);
    one.release();
  }

  /// Brings the other back.
  @Actor
  public void bringOther() {
    other.bytes().setInt(0, 8);
    other.release();
  }

  /// Takes both.
  @Arbiter
  public void take(II_Result result) {
    int first = spring.createWater(4).bytes().getInt(0);
    int second = spring.createWater(4).bytes().getInt(0);
    result.r1 = Math.min(first, second);
    result.r2 = Math.max(first, second);
  }
}
