package dev.tigris.verify.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A volatile field of an object in a container releases what was written before it, and acquires
/// it: the accessors' `setRelease` and `getAcquire`.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not sent yet")
@Outcome(id = "0, 42", expect = Expect.ACCEPTABLE, desc = "written, and not sent yet")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "what was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "sent before it was written")
@State
public class VolatileFieldTest {
  private final Letter letter = new Letter(Letter.container());

  /// The sender.
  @Actor
  public void send() {
    letter.content = 42;
    letter.stamp = 1;
  }

  /// The receiver.
  @Actor
  public void receive(II_Result result) {
    result.r1 = letter.stamp;
    result.r2 = letter.content;
  }
}
