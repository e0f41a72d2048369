package dev.tigris.verify.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/// Who copies out of lent memory what was written after `RingWriter.withdraw` finds that out from
/// `RingReader.isWithdrawn`: the fence of either, and the order of the four accesses.
@JCStressTest
@Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "the message, in time")
@Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "the message, which is thrown away")
@Outcome(id = "2, true", expect = Expect.ACCEPTABLE, desc = "something else, which is thrown away")
@Outcome(id = "2, false", expect = Expect.FORBIDDEN, desc = "something else is taken for it")
@State
public class RingWithdrawalTest {
  private final Letterbox box = new Letterbox(1);
  private int lent = 1;

  /// The writer: breaks the connection off, and uses its memory for something else.
  @Actor
  public void withdraw() {
    box.withdraw();
    lent = 2;
  }

  /// The reader: copies the message.
  @Actor
  public void copy(IZ_Result result) {
    result.r1 = lent;
    result.r2 = box.isWithdrawn();
  }
}
