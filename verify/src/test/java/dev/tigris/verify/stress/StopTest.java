package dev.tigris.verify.stress;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A sender whose receiver ends is not kept waiting for credit, and what it puts is received,
/// dropped, discarded or still on the stream: `Stream.put` looks at `stopped` while it waits, and
/// behind. A wait that does not end shows as a test that does not.
@JCStressTest
@Outcome(
    id = {"1, 3", "0, 3"},
    expect = Expect.ACCEPTABLE,
    desc = "each water has gone one way")
@Outcome(expect = Expect.FORBIDDEN, desc = "one has gone none, or two")
@State
public class StopTest {
  private final Stream stream = Stream.memory(1);
  private @Nullable Water received;

  /// The sender, whose second and third put may have to wait for credit.
  @Actor
  public void send() {
    for (int i = 0; i < 3; i++) {
      stream.put(stream.spring().createWater(4));
    }
  }

  /// The receiver: takes a water if there is one, and ends with that in its hands.
  @Actor
  public void stop() {
    received = stream.poll();
    stream.stop();
  }

  /// Where the waters are.
  @Arbiter
  public void count(II_Result result) {
    int taken = 0;
    if (received != null) {
      taken++;
      received.release();
    }
    int left = 0;
    for (Water water = stream.poll(); water != null; water = stream.poll()) {
      left++;
      water.release();
    }
    result.r1 = left;
    result.r2 = taken + left + (int) stream.counters().discarded();
  }
}
