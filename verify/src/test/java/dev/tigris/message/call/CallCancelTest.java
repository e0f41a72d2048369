package dev.tigris.message.call;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A call ends once: it is cancelled, or has its result, and both sides agree on which. A wait that
/// does not end shows as a test that does not.
@JCStressTest
@Outcome(id = "1, -1", expect = Expect.ACCEPTABLE, desc = "it was cancelled")
@Outcome(id = "0, 5", expect = Expect.ACCEPTABLE, desc = "it has its result")
@Outcome(expect = Expect.FORBIDDEN, desc = "it has ended in two ways")
@State
public class CallCancelTest {
  private volatile @Nullable CompletableFuture<Long> made;

  /// Gives it up.
  @Actor
  public void cancel(II_Result result) {
    CompletableFuture<Long> call = made;
    while (call == null) {
      Thread.onSpinWait();
      call = made;
    }
    result.r1 = call.cancel(true) ? 1 : 0;
  }

  /// Makes it, and waits for it.
  @Actor
  public void join(II_Result result) {
    CompletableFuture<Long> call = SharedCalls.NUMBERS.same(5);
    made = call;
    try {
      result.r2 = call.join().intValue();
    } catch (CancellationException e) {
      result.r2 = -1;
    }
  }
}
