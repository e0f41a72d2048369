package dev.tigris.verify.stress;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// What the receiver reads of a water happens before its sender gets it back and writes to it
/// again: the release store of `finished` in `MemoryStream`, and its acquire.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "no credit yet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "used again after the receiver has read")
@Outcome(expect = Expect.FORBIDDEN, desc = "written to while the receiver was reading")
@State
public class CreditTest {
  private final Stream stream = Stream.memory(1);

  /// One water is on its way.
  public CreditTest() {
    Water water = stream.spring().createWater(4);
    water.bytes().setInt(0, 1);
    stream.put(water);
  }

  /// The receiver.
  @Actor
  public void receive(II_Result result) {
    Water water = stream.poll();
    if (water != null) {
      result.r1 = water.bytes().getInt(0);
      water.release();
    }
  }

  /// The sender.
  @Actor
  public void sendAgain(II_Result result) {
    if (stream.credits() > 0) {
      Water water = stream.spring().createWater(4);
      water.bytes().setInt(0, 2);
      result.r2 = 1;
    }
  }
}
