package dev.tigris.verify.stress;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// What the sender wrote to a water, and its size, happens before the receiver takes it: the
/// release store of `sent` in `MemoryStream`, and its acquire.
@JCStressTest
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not sent yet")
@Outcome(id = "42, 8", expect = Expect.ACCEPTABLE, desc = "what was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "a water from before it was filled")
@State
public class HandOverTest {
  private final Stream stream = Stream.memory(1);

  /// The buffer has been used before, so that stale contents would show.
  public HandOverTest() {
    Water stale = stream.spring().createWater(4);
    stale.bytes().setInt(0, 0);
    stream.put(stale);
    Water taken = stream.poll();
    if (taken != null) {
      taken.release();
    }
  }

  /// The sender.
  @Actor
  public void send() {
    Water water = stream.spring().createWater(8);
    water.bytes().setInt(0, 42);
    stream.put(water);
  }

  /// The receiver.
  @Actor
  public void receive(II_Result result) {
    Water water = stream.poll();
    result.r1 = water == null ? -1 : water.bytes().getInt(0);
    result.r2 = water == null ? -1 : water.size();
  }
}
