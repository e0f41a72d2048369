package dev.tigris.message.call;

import dev.tigris.memory.Pso;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// The buffer of an item that arrives while the stream is closed is given back once: by the stream
/// that has it, or by the thread that finds the stream closed.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "it is back")
@Outcome(expect = Expect.FORBIDDEN, desc = "it is out")
@State
public class StreamCloseTest {
  /// Of no pool: a buffer that is given back must not be another test's at once.
  private final CallBuffer item = CallBuffer.allocate(128, "stress");

  private final ClientStream<Pso> stream =
      new ClientStream<>(SharedCalls.HUB, SharedCalls.call(), Pso.class);

  /// One holds it.
  public StreamCloseTest() {
    item.holders = 1;
  }

  /// The thread of the client.
  @Actor
  public void arrive() {
    boolean _ = stream.arrived(0, item, 8);
  }

  /// The reader.
  @Actor
  public void close() {
    stream.close();
  }

  /// How many hold the buffer.
  @Arbiter
  public void count(I_Result result) {
    result.r1 = item.holders;
  }
}
