package dev.tigris.verify.stress;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Whoever waits is woken: for a water, for the end, and for credit. A wait that does not end
/// shows as a test that does not.
@JCStressTest
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "all waits have ended")
@Outcome(expect = Expect.FORBIDDEN, desc = "a wait has ended too early")
@State
public class WakeUpTest {
  private final Stream stream = Stream.memory(1);

  /// The sender: its second put waits for credit.
  @Actor
  public void send() {
    stream.put(stream.spring().createWater(4));
    stream.put(stream.spring().createWater(4));
    stream.end();
  }

  /// The receiver: waits for waters, and for the end.
  @Actor
  public void receive(II_Result result) {
    for (Water water = stream.get(); water != null; water = stream.get()) {
      result.r1++;
      water.release();
    }
    result.r2 = 1;
  }
}
