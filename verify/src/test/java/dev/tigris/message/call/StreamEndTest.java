package dev.tigris.message.call;

import dev.tigris.memory.Pso;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A reader of a stream that waits for items is woken by its end. A wait that does not end shows as
/// a test that does not.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "there is no item")
@Outcome(expect = Expect.FORBIDDEN, desc = "there is one that was never sent")
@State
public class StreamEndTest {
  private final ClientStream<Pso> stream =
      new ClientStream<>(SharedCalls.HUB, SharedCalls.call(), Pso.class);

  /// The reader.
  @Actor
  public void read(I_Result result) {
    result.r1 = stream.hasNext() ? 1 : 0;
  }

  /// The thread of the client.
  @Actor
  public void end() {
    stream.ended(Status.OK, null, 0);
  }
}
