package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Keeps the order and the count of many messages, on every provider beside libfabric's.
@EnabledOnOs(OS.LINUX)
class ManyMessagesTest {
  private static final int SEEDS = 3;

  @ParameterizedTest
  @CsvSource({"tcp, 127.0.0.1:0", "uring, 127.0.0.1:0", "shm, *", "local, *"})
  @Slow("a second for each provider")
  @Soak("10,000,000 messages a seed: some minutes for each provider")
  void keepsOrderAndCounts(String provider, String address) throws Exception {
    assumeTrue(!provider.equals("uring") || UringTest.isAllowed(), "io_uring is not allowed here");
    for (long seed = 1; seed <= Tier.choose(1, SEEDS); seed++) {
      try (Fabric fabric = Fabric.open(provider)) {
        ManyMessages.exchange(fabric, address, seed, Tier.choose(100_000, 10_000_000));
      }
    }
  }
}
