package dev.tigris.verify.stress;

import dev.tigris.memory.Jbuf;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// Who comes by a Jbuf through a race finds its memory: the fence at the end of `Jbuf.allocate`.
/// One that had no address yet would be a crash.
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "memory of its own, all zero")
@Outcome(expect = Expect.FORBIDDEN, desc = "other memory")
@State
public class PublishedJbufTest {
  private Jbuf shared;

  /// The publisher.
  @Actor
  public void publish() {
    shared = Jbuf.allocate(64);
  }

  /// Who comes by it.
  @Actor
  public void find(I_Result result) {
    Jbuf jbuf = shared;
    result.r1 = jbuf == null ? -1 : jbuf.asInts().get(15);
  }
}
