package dev.tigris.verify.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// What lies in a slot, and its length, happen before the reader finds the slot: the
/// release store of the sequence in `RingWriter`, and its acquire in `RingReader`.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing there yet")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the first one there at last")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the second one not there yet")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both there")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot from before it was filled")
@State
public class RingHandOverTest {
  private final Letterbox box = new Letterbox(2);

  /// The writer: a message of one cache line with its header, and one of two.
  @Actor
  public void write() {
    box.write(8, 1);
    box.write(112, 2);
  }

  /// The reader.
  @Actor
  public void read(II_Result result) {
    result.r1 = box.read() ? box.content() : 0;
    result.r2 = box.read() ? box.content() : 0;
  }
}
