package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.provider.Port;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A queue whose thread cannot wait, as where the process may have no more threads.
class FailingWaitTest {
  /// Nothing ever comes, and the first wait fails.
  private static final class Scarce extends Port {
    private boolean failed;

    @Override
    public void progress() {
      // nothing comes
    }

    @Override
    public void park(long nanos) {
      if (!failed) {
        failed = true;
        throw new OutOfMemoryError("unable to create native thread");
      }
      super.park(nanos);
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  @Test
  @Timeout(60)
  void signalsAllTheSame() throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        CompletionQueue queue = new CompletionQueue(fabric, new Scarce(), 0)) {
      CountDownLatch signal = new CountDownLatch(1);
      queue.signalOnce(signal::countDown);
      assertTrue(signal.await(30, TimeUnit.SECONDS), "the signal came");
      assertNull(queue.await(Duration.ofMillis(1)), "and the queue can be waited for again");
    }
  }
}
