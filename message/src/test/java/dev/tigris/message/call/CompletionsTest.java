package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The clock is the test's: a time-out of a minute only ends a test that fails.
final class CompletionsTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Completions completions = new Completions();

  /// Completes when it is let.
  private record Call(boolean isAwaited, CountDownLatch let, CountDownLatch done)
      implements Completions.Ended {
    static Call of(boolean isAwaited, int let) {
      return new Call(isAwaited, new CountDownLatch(let), new CountDownLatch(1));
    }

    @Override
    public void complete() {
      assertTrue(isOver(let));
      done.countDown();
    }

    private static boolean isOver(CountDownLatch latch) {
      try {
        return latch.await(LONG.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void requireDone() {
      assertTrue(isOver(done), "it was not completed");
    }
  }

  @Test
  void completesAllThatWasAddedBeforeIt() {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(Call.of(i % 7 == 0, 0));
      completions.add(calls.getLast());
    }
    assertEquals(Completions.PATIENCE_NANOS, completions.start(0));
    calls.forEach(Call::requireDone);
    assertEquals(Long.MAX_VALUE, completions.start(1));
  }

  @Test
  void oneThatIsAwaitedHoldsUpNoOther() {
    Call awaited = Call.of(true, 1);
    Call other = Call.of(false, 0);
    completions.add(awaited);
    completions.add(other);
    long _ = completions.start(0);
    other.requireDone();
    awaited.let.countDown();
    awaited.requireDone();
  }

  /// The first is one that somebody began to depend on after it was asked.
  @Test
  void oneThatHoldsUpTheQueueIsPassedAfterAWhile() throws InterruptedException {
    Call first = Call.of(false, 1);
    Call second = Call.of(false, 1);
    Call third = Call.of(false, 0);
    completions.add(first);
    completions.add(second);
    completions.add(third);
    long now = 0;
    do {
      long _ = completions.start(now);
      now += Completions.PATIENCE_NANOS;
    } while (!third.done.await(1, TimeUnit.MILLISECONDS) && now < LONG.toNanos());
    third.requireDone();
    second.let.countDown();
    second.requireDone();
    first.let.countDown();
    first.requireDone();
  }

  @Test
  void afterTheEndEachHasAThreadOfItsOwn() {
    Call before = Call.of(false, 1);
    Call after = Call.of(false, 1);
    Call last = Call.of(false, 0);
    completions.add(before);
    completions.close();
    completions.add(after);
    completions.add(last);
    last.requireDone();
    before.let.countDown();
    before.requireDone();
    after.let.countDown();
    after.requireDone();
  }
}
