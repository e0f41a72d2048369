package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Results;
import dev.tigris.flow.Tap;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Copies of a run's waters come to a reader, from one process and from two.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TappedRunTest {
  private static final Tap.Terms ALL = new Tap.Terms(Long.BYTES, 16, true, false);
  private static final Tap.Terms SOME = new Tap.Terms(4, 4, false, true);

  @TempDir private Path runs;

  private static TapOrder order(TapReader reader, Tap.Terms terms, int perSecond) {
    return new TapOrder("add", terms, perSecond, reader.address(), reader.token(), reader.key());
  }

  /// A tap that blocks has every water since it was attached once and in order, also of replicas
  /// that join and leave meanwhile. What came before is the first number of each that was there.
  private static void taps(ClusterRun run, int processes) throws Exception {
    taps(run, TapReader.listen(processes));
  }

  private static void taps(ClusterRun run, TapReader listening) throws Exception {
    Wait.until("waters flow", () -> run.progress().calls() > 100);
    Map<Integer, Long> next = new HashMap<>();
    long sum = 0;
    try (TapReader reader = listening) {
      run.tap(order(reader, ALL, 0)).get(60, TimeUnit.SECONDS);
      var resized = run.resize("work", 4);
      boolean isDraining = false;
      while (!reader.isOver()) {
        TapReader.Copy copy = reader.poll(Duration.ofMillis(20));
        if (copy != null) {
          assertEquals("work", copy.stage());
          assertEquals(next.getOrDefault(copy.replica(), 0L), copy.number());
          next.put(copy.replica(), copy.number() + 1);
          sum += ByteBuffer.wrap(copy.bytes()).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
        }
        if (!isDraining && resized.isDone() && next.size() == 4) {
          run.drain();
          isDraining = true;
        }
      }
      assertEquals(0, reader.leftOut());
    }
    Results results = run.await();
    long copied = next.values().stream().mapToLong(Long::longValue).sum();
    assertTrue(copied > 0 && copied <= results.number("came"), results::toString);
    assertTrue(sum > 0 && sum <= results.number("came sum"), results::toString);
    assertEquals(results.number("made"), results.number("came"));
  }

  /// The line has a key, and a stranger without it gets no word.
  @Test
  @Slow("makes a key by a process of its own")
  void aTapBetweenHostsHasAKey() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    TapReader reader = TapReader.listen(1, "127.0.0.1");
    try {
      refuses(run, new TapOrder("add", ALL, 0, reader.address(), reader.token(), "x"), "damaged");
      taps(run, reader);
    } finally {
      run.cancelAndAwait();
    }
  }

  @Test
  void onThreads() throws Exception {
    taps(Cluster.threads().start(Endless.class), 1);
  }

  @Slow("starts two JVMs")
  @Test
  void onProcesses() throws Exception {
    taps(Cluster.processes(2).withRuns(runs).start(Endless.class), 2);
  }

  /// Ten copies a second are no more, however fast waters flow. A reader that goes leaves the run.
  @Test
  void aLookIsSampledAndMayBeLeft() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try (TapReader reader = TapReader.listen(1)) {
      long start = System.nanoTime();
      run.tap(order(reader, SOME, 10)).get(60, TimeUnit.SECONDS);
      for (int i = 0; i < 6; i++) {
        TapReader.Copy copy = null;
        while (copy == null) {
          copy = reader.poll(Duration.ofSeconds(1));
        }
        assertEquals(Long.BYTES, copy.size());
        assertEquals(4, copy.bytes().length);
      }
      long most = 2 * (1 + (System.nanoTime() - start) / 100_000_000); // of two senders
      assertTrue(most >= 6, () -> "six copies came where %d were granted".formatted(most));
    }
    long calls = run.progress().calls();
    Wait.until("waters flow on", () -> run.progress().calls() > calls + 1000);
    run.drain();
    Results results = run.await();
    assertEquals(results.number("made"), results.number("came"));
  }

  @Test
  void aRunThatIsCancelledIsNoGoodEnd() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try (TapReader reader = TapReader.listen(1)) {
      run.tap(order(reader, SOME, 10)).get(60, TimeUnit.SECONDS);
      run.cancel();
      assertThrows(CancellationException.class, run::await);
      assertThrows(
          IOException.class,
          () -> {
            while (!reader.isOver()) {
              TapReader.Copy _ = reader.poll(Duration.ofMillis(20));
            }
          });
    }
  }

  @Test
  void refusesWhatCannotBe() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try (TapReader reader = TapReader.listen(1)) {
      refuses(run, new TapOrder("x", ALL, 0, reader.address(), reader.token()), "[work, add]");
      refuses(run, new TapOrder("add", ALL, 0, "192.0.2.1:9", "t"), "not on this host");
      try (Socket stranger =
          new Socket(
              InetAddress.getLoopbackAddress(),
              Integer.parseInt(reader.address().replaceAll(".*:", "")))) {
        stranger.getOutputStream().write(new byte[64]);
        assertEquals(-1, stranger.getInputStream().read());
      }
      assertNull(reader.poll(Duration.ZERO));
    }
    assertThrows(IllegalArgumentException.class, () -> new TapOrder("add", ALL, 5, "a:1", "t"));
    run.drain();
    Results _ = run.await();
  }

  private static void refuses(ClusterRun run, TapOrder order, String why) {
    ExecutionException refused =
        assertThrows(ExecutionException.class, () -> run.tap(order).get(60, TimeUnit.SECONDS));
    assertTrue(String.valueOf(refused.getCause()).contains(why), refused::toString);
  }
}
