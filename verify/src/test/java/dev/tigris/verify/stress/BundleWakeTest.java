package dev.tigris.verify.stress;

import dev.tigris.message.Bundle;
import dev.tigris.message.Options;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A thread that waits in a bundle is woken by `Bundle.wake`, whether it is about to wait or does.
/// A wait that does not end shows as a test that does not.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the wait has ended, and nothing has come")
@Outcome(expect = Expect.FORBIDDEN, desc = "there is a message from nowhere")
@State
public class BundleWakeTest {
  private volatile @Nullable Bundle bundle;

  /// The thread of the bundle.
  @Actor
  public void await(I_Result result) {
    try (Fabric fabric = Fabric.open(new IdleProvider());
        Bundle made = Bundle.open(Options.DEFAULT, List.of(fabric))) {
      bundle = made;
      result.r1 = made.await(Duration.ofDays(1)) ? 1 : 0;
    }
  }

  /// Another thread.
  @Actor
  public void wake() {
    Bundle its = bundle;
    while (its == null) {
      Thread.onSpinWait();
      its = bundle;
    }
    its.wake();
  }
}
