package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Outcome;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A flow over two processes, each of which may end in its own way.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TwoProcessesTest {
  private static final String FOREVER = String.valueOf(Long.MAX_VALUE);

  private static Child counter(String provider, long most) {
    String address = provider.equals("shm") ? "*" : "127.0.0.1:0";
    return Jvm.of(Words.Counter.class)
        .quick()
        .command(provider, address, String.valueOf(most))
        .start();
  }

  private static Child reader(String provider, String address, String count, int bytes) {
    return Jvm.of(Words.Reader.class)
        .quick()
        .command(provider, address, count, String.valueOf(bytes))
        .start();
  }

  private static String sum(long count) {
    return count + " " + count * (count - 1) / 2;
  }

  private static void carries(String provider, long count, int bytes) {
    Child counter = counter(provider, -1);
    Child reader = reader(provider, counter.nextLine(), String.valueOf(count), bytes);
    counter.expectLine("first").expectLine(sum(count));
    reader.expectLine("sent").outcome().expect(0);
    counter.outcome().expect(0);
  }

  @Test
  void carriesWatersBetweenTwoProcesses() {
    carries("tcp", 20_000, 64);
  }

  @Slow("starts twelve JVMs")
  @ParameterizedTest
  @CsvSource({
    "tcp,5000,8192",
    "tcp,500,300000",
    "shm,50000,64",
    "shm,500,300000",
    "uring,5000,8192",
    "uring,500,300000"
  })
  void carriesWatersOfAllSizesOverEachProvider(String provider, long count, int bytes) {
    carries(provider, count, bytes);
  }

  @Test
  void aLostSenderIsNotTheEndOfItsStream() {
    Child counter = counter("tcp", -1);
    Child reader = reader("tcp", counter.nextLine(), FOREVER, 64);
    counter.expectLine("first");
    reader.kill();
    requireLoss(counter.outcome(), "sender");
  }

  @Slow("starts six JVMs")
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm", "uring"})
  void aLostReceiverFailsItsSender(String provider) {
    Child counter = counter(provider, -1);
    Child reader = reader(provider, counter.nextLine(), FOREVER, 8192);
    counter.expectLine("first");
    counter.kill();
    requireLoss(reader.outcome(), "receiver");
  }

  @Slow("starts four JVMs")
  @ParameterizedTest
  @ValueSource(strings = {"shm", "uring"})
  void aLostSenderIsNoticedOverEachProvider(String provider) {
    Child counter = counter(provider, -1);
    Child reader = reader(provider, counter.nextLine(), FOREVER, 300_000);
    counter.expectLine("first");
    reader.kill();
    requireLoss(counter.outcome(), "sender");
  }

  private static void requireLoss(Outcome outcome, String end) {
    assertEquals(1, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.output().contains("has lost its " + end), outcome::toString);
  }

  @Slow("starts four JVMs")
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void aStoppedProcessLosesNothing(String provider) {
    Child counter = counter(provider, -1);
    Child reader = reader(provider, counter.nextLine(), "50000", 64);
    counter.expectLine("first");
    counter.pause();
    counter.resume();
    reader.pause();
    reader.resume();
    counter.expectLine(sum(50_000));
    reader.expectLine("sent").outcome().expect(0);
  }

  @Slow("starts four JVMs")
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void aReceiverThatEndsEarlyEndsItsSender(String provider) {
    Child counter = counter(provider, 100);
    Child reader = reader(provider, counter.nextLine(), FOREVER, 8192);
    counter.expectLine("first").expectLine(sum(100));
    counter.outcome().expect(0);
    reader.expectLine("sent").outcome().expect(0);
  }
}
