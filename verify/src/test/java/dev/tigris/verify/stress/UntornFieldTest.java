package dev.tigris.verify.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// Volatile fields of eight bytes are written at once, and read at once.
@JCStressTest
@Outcome(
    id = {"0, 0", "-1, 0", "0, 4611686018427387903", "-1, 4611686018427387903"},
    expect = Expect.ACCEPTABLE,
    desc = "each is there or not")
@Outcome(expect = Expect.FORBIDDEN, desc = "a half of one")
@State
public class UntornFieldTest {
  private static final double ALL_BUT_TWO_BITS = Double.longBitsToDouble(4611686018427387903L);

  private final Letter letter = new Letter(Letter.container());

  /// The sender.
  @Actor
  public void send() {
    letter.number = -1;
    letter.weight = ALL_BUT_TWO_BITS;
  }

  /// The receiver.
  @Actor
  public void receive(JJ_Result result) {
    result.r1 = letter.number;
    result.r2 = Double.doubleToRawLongBits(letter.weight);
  }
}
