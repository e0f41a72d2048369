package dev.tigris.verify.stress;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Shows that [HandOverTest] can fail: the same test on a stream that publishes its water without
/// order, before it is filled. (Leaving out the release alone does not show on x86, whose stores
/// stay in order.) Not part of the tests; run it by hand:
///
/// ```
/// java -cp ... org.openjdk.jcstress.Main -m quick -t WeakenedHandOver
/// ```
@JCStressTest
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not sent yet")
@Outcome(id = "42, 8", expect = Expect.ACCEPTABLE, desc = "what was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "a water from before it was filled")
@State
public class WeakenedHandOver {
  private final Stream stream = new Weakened();
  private final Water water;

  /// The buffer has been used before, so that stale contents would show.
  public WeakenedHandOver() {
    water = stream.spring().createWater(8);
    water.bytes().setInt(0, 0);
  }

  /// The sender: fills the water after it is visible.
  @Actor
  public void send() {
    dev.tigris.memory.Bytes bytes = water.bytes();
    stream.put(water);
    bytes.setInt(0, 42);
  }

  /// The receiver.
  @Actor
  public void receive(II_Result result) {
    Water taken = stream.poll();
    result.r1 = taken == null ? -1 : taken.bytes().getInt(0);
    result.r2 = taken == null ? -1 : taken.size();
  }

  /// One plain slot.
  private static final class Weakened extends Stream {
    private final BufferSpring spring = new BufferSpring("weakened");
    private @Nullable Water slot;

    Weakened() {
      super("weakened", 1);
    }

    @Override
    public Spring spring() {
      return spring;
    }

    @Override
    public int outstanding() {
      return slot == null ? 0 : 1;
    }

    @Override
    public boolean isReady() {
      return slot != null;
    }

    @Override
    public boolean isDrained() {
      return false;
    }

    @Override
    protected boolean canCarry(Water carried) {
      return true;
    }

    @Override
    protected void send(Water sent) {
      slot = sent;
    }

    @Override
    protected void sendEnd() {}

    @Override
    protected @Nullable Water receive() {
      Water received = slot;
      slot = null;
      return received;
    }

    @Override
    protected void release(Water released) {
      released.returnHome();
    }

    @Override
    protected void leave(Water left) {}

    @Override
    protected void dispose(boolean complete) {
      spring.close();
    }
  }
}
