package dev.tigris.verify.stress;

import dev.tigris.net.shm.Bell;
import dev.tigris.os.LastingMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// Whoever goes to sleep sees the message, or is woken: the two full fences of `Bell`, of which
/// each needs the other.
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "it stays awake")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it sleeps, and is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it is woken in vain")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps for ever")
@State
public class RingWakeUpTest {
  private final Letterbox box = new Letterbox(1);
  private final Bell sleeper;
  private final Bell waker;

  /// Both sides of one bell.
  public RingWakeUpTest() {
    LastingMemory words = LastingMemory.allocate(Bell.BYTES);
    sleeper = new Bell(words, true);
    waker = new Bell(words, false);
  }

  /// Goes to sleep, unless there is a message.
  @Actor
  public void sleep(ZZ_Result result) {
    sleeper.sleep();
    result.r1 = box.seesMore();
  }

  /// Writes a message, and wakes a sleeping reader.
  @Actor
  public void write(ZZ_Result result) {
    box.write(8, 42);
    result.r2 = waker.mustWake();
  }
}
