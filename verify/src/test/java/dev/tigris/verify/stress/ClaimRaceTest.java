package dev.tigris.verify.stress;

import dev.tigris.net.CompletionQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// Of two threads that claim a queue at the same time, one has it: `CompletionQueue.claim` compares
/// and sets the owner in one step.
@JCStressTest
@Outcome(
    id = {"true, false", "false, true"},
    expect = Expect.ACCEPTABLE,
    desc = "one has it")
@Outcome(expect = Expect.FORBIDDEN, desc = "both have it, or neither")
@State
public class ClaimRaceTest {
  private final CompletionQueue queue = new IdleProvider().queue();

  /// A queue that no thread has.
  public ClaimRaceTest() {
    queue.release();
  }

  /// One thread.
  @Actor
  public void one(ZZ_Result result) {
    result.r1 = queue.claim();
  }

  /// Another one.
  @Actor
  public void another(ZZ_Result result) {
    result.r2 = queue.claim();
  }
}
