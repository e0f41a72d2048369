package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One thread that waits for several sources, and threads that have something for it.
@Timeout(30)
class WaiterTest {
  private static final long LONG_NANOS = 60_000_000_000L;

  /// A source that counts what comes for it. It parks by the JDK's means.
  private static final class Counting implements WaitSource {
    private final AtomicInteger come = new AtomicInteger();
    private final List<String> calls = new ArrayList<>();
    private final Thread waiting = Thread.currentThread();
    private volatile WaitSource armedFor = this;
    private volatile boolean armed;
    private volatile boolean woken;
    private boolean refusesOnce;
    private boolean comesWhenArmed;
    private int taken;

    void come() {
      come.incrementAndGet();
      if (armed) {
        armedFor.wake();
      }
    }

    @Override
    public boolean poll() {
      int now = come.get();
      boolean more = now > taken;
      taken = now;
      return more;
    }

    @Override
    public boolean arm(WaitSource host) {
      calls.add("arm");
      armedFor = host;
      armed = true;
      if (refusesOnce) {
        refusesOnce = false;
        comesWhenArmed = true;
        return false;
      }
      if (comesWhenArmed) {
        come.incrementAndGet();
      }
      return true;
    }

    @Override
    public void disarm() {
      calls.add("disarm");
      armed = false;
    }

    @Override
    public void park(long nanos) {
      calls.add("park");
      if (!woken) {
        LockSupport.parkNanos(this, nanos);
      }
      woken = false;
    }

    @Override
    public void wake() {
      woken = true;
      LockSupport.unpark(waiting);
    }
  }

  private final Counting host = new Counting();
  private final Counting other = new Counting();
  private final Waiter waiter = new Waiter(host, List.of(other));

  @Test
  void doesNotParkForWhatIsThereAlready() {
    other.come();
    assertTrue(waiter.await(LONG_NANOS));
    assertEquals(List.of("arm", "disarm"), host.calls);
    assertEquals(List.of("arm", "disarm"), other.calls);
  }

  @Test
  void looksAgainBeforeItParksWhereASourceMayHaveSomething() {
    host.refusesOnce = true;
    assertTrue(waiter.await(LONG_NANOS));
    assertEquals(List.of("arm", "arm", "disarm"), host.calls);
  }

  @Test
  void givesUpWhenTheTimeIsOver() {
    assertFalse(waiter.await(1_000_000));
    assertEquals("disarm", host.calls.getLast());
    assertEquals("disarm", other.calls.getLast());
  }

  @Test
  void aWakeBeforeTheParkEndsIt() {
    host.wake();
    assertFalse(waiter.await(1_000_000));
    assertTrue(host.calls.stream().filter("park"::equals).count() >= 1);
  }

  /// Whichever source it comes for, the thread in the host's park hears of it.
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // the other thread may need this processor
  void losesNoWakeUpOfAnySource() throws Exception {
    int rounds = 20_000;
    AtomicInteger done = new AtomicInteger();
    Thread comes =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < rounds; i++) {
                    (i % 2 == 0 ? host : other).come();
                    while (done.get() <= i) {
                      Thread.yield();
                    }
                  }
                });
    for (int i = 0; i < rounds; i++) {
      assertTrue(waiter.await(LONG_NANOS));
      done.incrementAndGet();
    }
    comes.join();
    assertEquals(rounds, host.come.get() + other.come.get());
  }
}
