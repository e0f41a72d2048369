package dev.tigris.verify.stress;

import dev.tigris.memory.FreedException;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.ReferencedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Of two threads, one of which frees a Jbuf and one views it, one comes too late: no thread has a
/// view of memory that was given back.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "viewed, and not freed")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "freed, and not viewed")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or neither")
@State
public class FreedOrViewedTest {
  private final Jbuf jbuf = Jbuf.allocate(64);

  /// The reader.
  @Actor
  public void view(II_Result result) {
    try {
      result.r1 = jbuf.asInts().get(15) + 1;
    } catch (FreedException e) {
      result.r1 = 0;
    }
  }

  /// The owner.
  @Actor
  public void free(II_Result result) {
    try {
      jbuf.free();
      result.r2 = 1;
    } catch (ReferencedException e) {
      result.r2 = 0;
    }
  }
}
