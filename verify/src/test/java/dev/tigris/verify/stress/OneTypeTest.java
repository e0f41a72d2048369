package dev.tigris.verify.stress;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.TypedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A Jbuf has one type at a time, even if two threads ask for two at once.
@JCStressTest
@Outcome(
    id = {"1, 0", "0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "one of the two")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or neither")
@State
public class OneTypeTest {
  private final Jbuf jbuf = Jbuf.allocate(64);

  /// Wants numbers.
  @Actor
  public void ints(II_Result result) {
    try {
      result.r1 = jbuf.asInts().get(15) + 1;
    } catch (TypedException e) {
      result.r1 = 0;
    }
  }

  /// Wants other numbers.
  @Actor
  public void doubles(II_Result result) {
    try {
      result.r2 = (int) jbuf.asDoubles().get(7) + 1;
    } catch (TypedException e) {
      result.r2 = 0;
    }
  }
}
