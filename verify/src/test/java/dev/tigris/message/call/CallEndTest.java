package dev.tigris.message.call;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A caller that waits is woken by the end of its call, and sees how it has ended: `Invocation.end`
/// writes that before `isOver`, and reads `waiter` behind; `await` writes `waiter` first. A wait
/// that does not end shows as a test that does not.
@JCStressTest
@Outcome(id = "10", expect = Expect.ACCEPTABLE, desc = "the wait has ended by ABORTED")
@Outcome(expect = Expect.FORBIDDEN, desc = "how it ended is not seen")
@State
public class CallEndTest {
  private final Invocation call = SharedCalls.call();

  /// The caller.
  @Actor
  public void await(I_Result result) {
    call.await();
    result.r1 = call.status().code();
  }

  /// The thread of the client.
  @Actor
  public void end() {
    call.end(Status.ABORTED, "as it is asked to", 0, null, 0);
  }
}
