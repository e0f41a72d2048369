package dev.tigris.verify.stress;

import dev.tigris.flow.Stream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// A receiver that sees the end sees all waters before it: `ended` in `MemoryStream` is set after
/// the last `sent`, and read before it.
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the water is still there")
@Outcome(expect = Expect.FORBIDDEN, desc = "the end was seen, and the water was not")
@State
public class EndTest {
  private final Stream stream = Stream.memory(1);

  /// The sender.
  @Actor
  public void sendAndEnd() {
    stream.put(stream.spring().createWater(4));
    stream.end();
  }

  /// The receiver.
  @Actor
  public void look(ZZ_Result result) {
    result.r1 = stream.isDrained();
  }

  /// What is there afterwards.
  @Arbiter
  public void take(ZZ_Result result) {
    result.r2 = stream.poll() != null;
  }
}
