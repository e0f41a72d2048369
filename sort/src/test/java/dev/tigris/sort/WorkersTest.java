package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WorkersTest {
  /// Works until the last piece, which never comes unless somebody takes it away.
  private static final class Endless implements Workers.Worker {
    @Override
    public void work(long piece) {}

    @Override
    public void close() {}
  }

  @Test
  void leavesNoThreadBehindWhenAnotherCannotBeStarted() {
    List<Thread> made = new CopyOnWriteArrayList<>();
    OutOfMemoryError refusal = new OutOfMemoryError("unable to create native thread");
    OutOfMemoryError failed =
        assertThrows(
            OutOfMemoryError.class,
            () ->
                Workers.run(
                    loop -> {
                      if (made.size() == 3) {
                        throw refusal;
                      }
                      Thread thread = Thread.ofPlatform().daemon().unstarted(loop);
                      made.add(thread);
                      return thread;
                    },
                    "work",
                    8,
                    Long.MAX_VALUE / 2,
                    Endless::new));
    assertEquals(refusal, failed);
    assertEquals(3, made.size());
    for (Thread thread : made) {
      assertFalse(thread.isAlive());
    }
  }

  /// Works on its piece for as long as nobody interrupts it, as on a large record from a slow disk.
  private record Slow(CountDownLatch begun) implements Workers.Worker {
    @Override
    public void work(long piece) {
      begun.countDown();
      while (!Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void close() {}
  }

  @Test
  @Timeout(60)
  void doesNotWaitForAPieceWhenItIsInterrupted() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    FutureTask<InterruptedException> outcome =
        new FutureTask<>(
            () ->
                assertThrows(
                    InterruptedException.class,
                    () -> Workers.run("work", 2, 2, () -> new Slow(begun))));
    Thread caller = Thread.ofPlatform().start(outcome);
    begun.await();
    caller.interrupt();
    assertEquals("work was interrupted", outcome.get().getMessage());
  }
}
