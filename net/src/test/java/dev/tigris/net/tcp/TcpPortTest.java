package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpPortTest {
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final int ROUNDS = 50_000;

  /// A slow machine does fewer rounds.
  private static final long LONGEST_NANOS = 5_000_000_000L;

  private static final int LONGEST_PAUSE = 200;

  /// So many that the owner asks the selector.
  private static final int LINKS = 5;

  /// As a thread does that is to give a signal, and was not given a core while the owner closed.
  @Test
  void endsAWaitThatBeginsAfterTheEnd() {
    TcpPort port = new TcpPort();
    port.close();
    port.park(Long.MAX_VALUE);
    port.park(Long.MAX_VALUE); // also when the request of the end is taken
  }

  /// The owner looks for what has come at the same time, and the selector wakes one thread only.
  @Test
  void endsAWaitThatBeginsWhileTheOwnerLooks() throws Exception {
    TcpCarrier carrier = new TcpCarrier(null);
    Port port = carrier.port();
    Port other = carrier.port();
    try (ProviderListener listener = carrier.listen("127.0.0.1:0")) {
      FutureTask<Void> accepting =
          new FutureTask<>(
              () -> {
                for (int i = 0; i < LINKS; i++) {
                  listener.next(PATIENCE_NANOS).accept(other, Attributes.DEFAULT);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(accepting);
      for (int i = 0; i < LINKS; i++) {
        assertInstanceOf(
            ConnectResult.Connected.class,
            carrier.connect(listener.address(), 1, port, Attributes.DEFAULT, PATIENCE_NANOS));
      }
      accepting.get();
      FutureTask<Void> looking = new FutureTask<>(() -> wakeAndLook(port), null);
      Thread.ofPlatform().daemon().start(looking);
      try {
        looking.get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
      } finally {
        looking.cancel(true);
      }
    }
  }

  /// Wakes a thread again and again that begins to wait, and looks until that has ended.
  private static void wakeAndLook(Port port) {
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger woken = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              for (int round = 1; !over.get(); round++) {
                begun.set(round);
                while (woken.get() < round) {
                  port.park(Long.MAX_VALUE); // which may return early
                }
                ended.set(round);
              }
            });
    SplittableRandom random = new SplittableRandom(1);
    long deadline = System.nanoTime() + LONGEST_NANOS;
    for (int round = 1; !over.get(); round++) {
      while (begun.get() < round) {
        Thread.onSpinWait();
      }
      boolean isLast = round == ROUNDS || System.nanoTime() - deadline >= 0;
      over.set(isLast || Thread.currentThread().isInterrupted());
      for (int pause = random.nextInt(LONGEST_PAUSE); pause > 0; pause--) {
        Thread.onSpinWait();
      }
      woken.set(round);
      port.wake();
      while (ended.get() < round && !Thread.currentThread().isInterrupted()) {
        port.progress();
      }
    }
  }
}
