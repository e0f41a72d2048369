package dev.tigris.message.call;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// What a caller hands over runs once, also while the thread of a client or a server ends, by
/// whatever it throws: `HubThread.command` looks whether it is over behind the addition, and
/// `serve` looks for what was added behind its end.
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "it has run")
@Outcome(expect = Expect.FORBIDDEN, desc = "it is left, or has run twice")
@State
public class CommandHandOverTest {
  private static final Thread OTHER = new Thread();

  private final AtomicInteger ran = new AtomicInteger();
  private final HubThread hub = new HubThread(OTHER, () -> {});

  /// The caller.
  @Actor
  public void command() {
    hub.command(ran::incrementAndGet);
  }

  /// The thread, whose step fails.
  @Actor
  public void serve() {
    try {
      hub.serve(this::fail, () -> {});
    } catch (IllegalStateException e) {
      // as it is asked to
    }
  }

  private void fail() {
    hub.runCommands();
    throw new IllegalStateException("as it is asked to");
  }

  /// Whether it has run.
  @Arbiter
  public void count(I_Result result) {
    result.r1 = ran.get();
  }
}
