package dev.tigris.verify.stress;

import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Two threads move the messages of one queue by turns, each until it has released the queue. A
/// thread that claims it sees all that the one before has done: `CompletionQueue.release` writes
/// the owner with release, and `claim` acquires by comparing and setting it. The fields of queues
/// and providers are plain.
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "each sees what the other has done before")
@Outcome(expect = Expect.FORBIDDEN, desc = "one has not seen what the other has done")
@State
public class ClaimedQueueTest {
  private final IdleProvider provider = new IdleProvider();
  private final CompletionQueue queue = provider.queue();

  /// A queue that no thread has.
  public ClaimedQueueTest() {
    queue.release();
  }

  /// Returns how often the queue was moved, with this time.
  private int move() {
    while (!queue.claim()) {
      Thread.onSpinWait();
    }
    Descriptor _ = queue.poll();
    int moves = provider.moves;
    queue.release();
    return moves;
  }

  /// One thread.
  @Actor
  public void one(II_Result result) {
    result.r1 = move();
  }

  /// Another one.
  @Actor
  public void another(II_Result result) {
    result.r2 = move();
  }
}
