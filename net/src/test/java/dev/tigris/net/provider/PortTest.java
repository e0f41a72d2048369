package dev.tigris.net.provider;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A port that is woken by threads, while it closes and another thread waits for it.
@Timeout(60)
class PortTest {
  /// Has a link that lingers until it is told otherwise.
  private static final class Lingering extends Port {
    final AtomicBoolean lingers = new AtomicBoolean(true);

    @Override
    public void progress() {}

    @Override
    public void close() {
      awaitLingering(lingers::get);
    }
  }

  private static Thread start(Runnable action) {
    return Thread.ofPlatform().daemon().start(action);
  }

  private static void awaitSleep(Thread thread, Thread.State... states) {
    while (!List.of(states).contains(thread.getState())) {
      Thread.onSpinWait();
    }
  }

  /// The queue wakes its port before it closes that, and the owner may take the wake.
  @Test
  void doesNotKeepAThreadThatComesAfterItWasClosed() throws InterruptedException {
    Lingering port = new Lingering();
    port.wake();
    port.close(); // gives the link up after a second
    Thread late = start(() -> port.park(Long.MAX_VALUE));
    assertTrue(late.join(Duration.ofSeconds(20)), "it waits for a port that is closed");
  }

  /// The thread that waited before runs on while the owner waits: it must not take the owner's
  // wake.
  @Test
  void isWokenByAPeerWhileItClosesAlthoughAnotherThreadWaitedBefore() throws InterruptedException {
    AtomicBoolean inTime = new AtomicBoolean();
    for (int i = 0; i < 20; i++) {
      var closing = new Lingering();
      Thread waiting = start(() -> closing.park(Long.MAX_VALUE));
      awaitSleep(waiting, Thread.State.WAITING, Thread.State.TIMED_WAITING);
      Thread owner =
          start(
              () -> {
                Deadline deadline = Deadline.in(Port.LINGER_NANOS / 2);
                closing.close();
                inTime.set(deadline.leftNanos() > 0);
              });
      assertTrue(waiting.join(Duration.ofSeconds(20)));
      awaitSleep(owner, Thread.State.TIMED_WAITING);
      closing.lingers.set(false);
      closing.wake();
      assertTrue(owner.join(Duration.ofSeconds(20)));
      assertTrue(inTime.get(), "the peer woke no thread");
    }
  }
}
